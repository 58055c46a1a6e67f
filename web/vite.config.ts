import {defineConfig} from 'vite';
import {viteSingleFile} from 'vite-plugin-singlefile';

/* One page a build: `--mode report` makes the report's, else the viewer's. */
export default defineConfig(({mode}) => ({
  plugins: [viteSingleFile({removeViteModuleLoader: true})],
  build: {
    outDir: 'dist', emptyOutDir: false, modulePreload: false, target: 'es2022', reportCompressedSize: false,
    rolldownOptions: {input: mode === 'report' ? 'report.html' : 'index.html'},
  },
}));
