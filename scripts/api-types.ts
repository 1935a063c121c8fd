// Turns the description of the API into the TypeScript types of the dashboard's client: one member for each operation.

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
};
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = {
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
export type Description = { paths: Record<string, Record<string, Operation>> };

export function apiTypes(description: Description): string {
  const members = Object.entries(description.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, operation }) => `  '${name}': ${operationType(operation)};`);
  return `// What each operation takes and answers. Made from the routes by \`npm run fix\`; do not edit.

export type Api = {
${members.join('\n')}
};
`;
}

function operationType(operation: Operation): string {
  const parameters = operation.parameters ?? [];
  const part = (place: string) => parametersType(parameters.filter((one) => one.in === place));
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => contentType(response));
  const answer = [...new Set(responses)].join(' | ') || 'undefined';
  const lines = [
    `params: ${part('path')};`,
    `query: ${part('query')};`,
    `body: ${contentType(operation.requestBody)};`,
    `response: ${answer};`,
  ];
  return `{\n${lines.map((line) => `    ${line}`).join('\n')}\n  }`;
}

function parametersType(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return 'undefined';
  const members = parameters.map(
    ({ name, required, schema }) =>
      `${member(name)}${required === true ? '' : '?'}: ${schemaType(schema)}`,
  );
  return `{ ${members.join('; ')} }`;
}

function contentType(holder: Content | undefined): string {
  const schema = Object.values(holder?.content ?? {})[0]?.schema;
  return schema === undefined ? 'undefined' : schemaType(schema);
}

const member = (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`);

function schemaType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum !== undefined) {
    return schema.enum.map((one) => JSON.stringify(one).replaceAll('"', "'")).join(' | ');
  }
  if (schema.anyOf !== undefined) {
    return `(${[...new Set(schema.anyOf.map(schemaType))].join(' | ')})`;
  }
  if (Array.isArray(schema.type)) {
    return `(${schema.type.map((type) => schemaType({ ...schema, type })).join(' | ')})`;
  }
  switch (schema.type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return `${bracketed(schemaType(schema.items ?? {}))}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

const bracketed = (type: string) => (type.includes(' | ') ? `(${type})` : type);

function objectType({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${member(name)}${required.includes(name) ? '' : '?'}: ${schemaType(schema)}`,
  );
  return members.length === 0 ? 'Record<string, unknown>' : `{ ${members.join('; ')} }`;
}
