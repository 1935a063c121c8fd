// The build of the dashboard: one bundle with hashed assets, each with compressed copies.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const COMPRESSIBLE = /\.(js|css|html|svg)$/;
const COMPRESS_FROM_BYTES = 1024;

/** The server serves the compressed copies, so that it need not compress per request. */
function compressedCopies(): Plugin {
  let out = '';
  return {
    name: 'compressed-copies',
    apply: 'build',
    configResolved(config) {
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
        if (!COMPRESSIBLE.test(name)) continue;
        const path = join(out, name);
        const bytes = readFileSync(path);
        if (bytes.length < COMPRESS_FROM_BYTES) continue;
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
      }
    },
  };
}

// biome-ignore lint/style/noDefaultExport: Vite reads the default export of this file.
export default defineConfig({
  root: ROOT,
  base: '/',
  plugins: [react(), tailwindcss(), compressedCopies()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    target: 'es2023',
    // The content security policy allows scripts and styles from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
});
