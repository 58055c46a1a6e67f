/* The report of an identification. */
import 'uplot/dist/uPlot.min.css';
import './report.css';
import {motion, showExperiments} from './experiments';
import {showCorrelation} from './heat';
import {showProfiles} from './profiles';
import {showIdentifiability, showIterations} from './search';
import {showHead, showMethod, showParameters, showVerdicts} from './summary';

for (const show of [
  showHead,
  showVerdicts,
  showParameters,
  showProfiles,
  showExperiments,
  showCorrelation,
  showIdentifiability,
  showIterations,
  showMethod,
])
  show();

/* For tests. */
declare global {
  interface Window {
    sinew: unknown;
  }
}
Object.defineProperty(window, 'sinew', {get: () => motion});
