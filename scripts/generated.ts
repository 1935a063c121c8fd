// Writes the generated files: openapi.json, the dashboard's types, docs/configuration.md and
// docs/errors.md. With --check it changes nothing and fails if one of them is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorsMarkdown } from '../src/api/errors-page.ts';
import { buildServer, type ServerDeps } from '../src/api/server.ts';
import { SETTINGS } from '../src/config.ts';
import { typesOf } from './dashboard-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The API description; `describeSession` adds the endpoints that only the dashboard uses. */
export async function describedApi(options: { describeSession: boolean }): Promise<object> {
  // Describing the endpoints needs none of their dependencies.
  const server = await buildServer({} as ServerDeps, {
    trustProxy: null,
    endpoints: true,
    describeSession: options.describeSession,
  });
  return server.swagger();
}

const openApiDocument = async () =>
  `${JSON.stringify(await describedApi({ describeSession: false }), null, 2)}\n`;

const dashboardTypes = async () => typesOf(await describedApi({ describeSession: true }));

export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const { meaning, allowed, fallback } = setting;
    const words = 'fallbackInWords' in setting ? setting.fallbackInWords : undefined;
    const shown = words ?? (fallback === null ? 'none' : `\`${fallback}\``);
    return `| \`${name}\` | ${shown} | ${allowed} | ${meaning} |`;
  });
  return `# Settings

Generated from \`src/config.ts\` by \`npm run fix\`; do not edit. An invalid value stops the start with
one line that names the setting, the value and what is allowed.

| name | default | allowed | meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

export const GENERATED: Readonly<Record<string, () => Promise<string> | string>> = {
  'openapi.json': openApiDocument,
  'dashboard/src/api-types.ts': dashboardTypes,
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsMarkdown,
};

async function main(check: boolean): Promise<number> {
  let stale = 0;
  for (const [file, make] of Object.entries(GENERATED)) {
    const text = await make();
    if (!check) writeFileSync(root + file, text);
    else if (readFileSync(root + file, 'utf8') !== text) {
      process.stderr.write(`${file} is out of date. Run npm run fix.\n`);
      stale += 1;
    }
  }
  return stale === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.includes('--check'));
