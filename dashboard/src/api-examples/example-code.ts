// The code of each example, by language.
import { curlExamples } from './curl-examples.ts';
import type { ExampleId, Examples, ExampleValues, Language } from './example.ts';
import { pythonExamples } from './python-examples.ts';
import { typescriptExamples } from './typescript-examples.ts';

const BY_LANGUAGE: Readonly<Record<Language, Examples>> = {
  curl: curlExamples,
  typescript: typescriptExamples,
  python: pythonExamples,
};

export function exampleCode(id: ExampleId, language: Language, values: ExampleValues): string {
  return BY_LANGUAGE[language][id](values);
}
