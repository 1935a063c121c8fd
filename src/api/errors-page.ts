// The error reference: every code with its status, cause and remedy, generated from the code table.
import { hash } from 'node:crypto';
import { ERROR_CODE_SECTIONS } from '../foundation/error-codes.ts';
import { type ErrorCodeEntry, STATUS_OF_KIND } from '../foundation/error-kind.ts';

/** Every error record links to `ERRORS_PATH#code`. */
export const ERRORS_PATH = '/docs/errors';

const INTRODUCTION =
  'Every error response has the same members: `error` (the HTTP status), `message` (a sentence for people), ' +
  '`code` (stable, for programs), `doc_url` (a link to the code on this page) and `request_id`. ' +
  '`field` names the parameter or body member to blame, where there is one. ' +
  'Errors cost no credits. Compare `code`, never `message`: sentences may change.';

type Section = { title: string; codes: Readonly<Record<string, ErrorCodeEntry>> };
const SECTIONS: readonly Section[] = ERROR_CODE_SECTIONS;

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:46rem;padding:1rem 1.25rem 4rem}
h2{margin-top:2.5rem}h3{margin:1.75rem 0 .25rem}h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}p{margin:.25rem 0}code{font-family:ui-monospace,monospace}
section:target{outline:2px solid;outline-offset:.5rem}`;

/** The reference as HTML: no scripts, one style allowed by its hash. */
export function errorsPage(): { html: string; policy: string } {
  const sections = SECTIONS.map(
    ({ title, codes }) =>
      `<h2>${title}</h2>\n${Object.entries(codes)
        .map(([code, entry]) => codeSection(code, entry))
        .join('\n')}`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Oversight API</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p><a href="/docs/">API reference</a></p>
<h1>Errors</h1>
<p>${inline(INTRODUCTION)}</p>
${sections.join('\n')}
</main>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function codeSection(code: string, { kind, title, cause, remedy }: ErrorCodeEntry): string {
  return `<section id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p>${STATUS_OF_KIND[kind]} · ${inline(title)}</p>
<p>${inline(cause)}</p>
<p>${inline(remedy)}</p>
</section>`;
}

const inline = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');

/** The reference as Markdown, for docs/errors.md. */
export function errorsMarkdown(): string {
  const sections = SECTIONS.map(
    ({ title, codes }) =>
      `## ${title}\n\n${Object.entries(codes)
        .map(([code, entry]) => codeMarkdown(code, entry))
        .join('\n')}`,
  );
  return `# Errors

Generated from \`src/foundation/error-codes.ts\` by \`npm run fix\`; do not edit. Also served at
\`${ERRORS_PATH}\`.

${INTRODUCTION}

${sections.join('\n')}`;
}

const codeMarkdown = (code: string, { kind, title, cause, remedy }: ErrorCodeEntry) =>
  `### ${code}\n\n${STATUS_OF_KIND[kind]} · ${title}\n\n- Cause: ${cause}\n- Remedy: ${remedy}\n`;
