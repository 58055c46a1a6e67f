import {defineConfig} from 'vite';
import {viteSingleFile} from 'vite-plugin-singlefile';

export default defineConfig({
  plugins: [viteSingleFile({removeViteModuleLoader: true})],
  build: {outDir: 'dist', modulePreload: false, target: 'es2022', reportCompressedSize: false},
});
