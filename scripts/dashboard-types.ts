// The types of the dashboard's client, made from the description of the API by openapi-typescript.
import { registerHooks } from 'node:module';

// openapi-typescript uses the compiler API of TypeScript 5, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) => {
    const isGenerator = context.parentURL?.includes('/node_modules/openapi-typescript/') === true;
    return next(isGenerator && specifier === 'typescript' ? 'typescript5' : specifier, context);
  },
});

const { default: generate, astToString } = await import('openapi-typescript');

/** Documents are JSON that openapi-typescript may change: it gets a copy. */
export async function typesOf(document: object): Promise<string> {
  const nodes = await generate(JSON.stringify(document), { silent: true });
  return `// What each operation takes and returns. Made from the routes by \`npm run fix\`; do not edit.\n\n${astToString(nodes)}`;
}
