/* The report of an identification, the comparison of several, the design of an experiment. */
import 'uplot/dist/uPlot.min.css';
import './report.css';
import {showCandidates} from './candidates';
import {showComparison} from './comparison';
import {showDesign} from './design';
import {motion, showExperiments} from './experiments';
import {showForces} from './forces';
import {showCorrelation} from './heat';
import {showProfiles} from './profiles';
import {showIdentifiability, showIterations} from './search';
import {study} from './study';
import {showHead, showMethod, showParameters, showVerdicts} from './summary';

const report = [
  showHead,
  showVerdicts,
  showForces,
  showParameters,
  showProfiles,
  showCandidates,
  showExperiments,
  showCorrelation,
  showIdentifiability,
  showIterations,
  showMethod,
];
const pages: Record<string, (() => void)[]> = {comparison: [showComparison], design: [showDesign]};
for (const show of pages[study.page ?? ''] ?? report) show();

/* For tests. */
declare global {
  interface Window {
    sinew: unknown;
  }
}
Object.defineProperty(window, 'sinew', {get: () => motion});
