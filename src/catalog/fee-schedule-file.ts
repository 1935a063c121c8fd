// The JSON form of a fee schedule file, as a schema. A file that does not match is refused with one
// line that names the path, the value and what is allowed. Rules between members are in
// read-fee-schedule.ts.
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The fee schedule cannot be used. The message is one line. */
export class BadFeeSchedule extends Error {}

const CENTS_MAX = 100_000_000;
const POUNDS_MAX = 100_000;
const ENTRIES_MAX = 1_000;
const TEXT_CHARS_MAX = 500;

/** The descriptions complete the sentence "must be …" of an error message. */
const integer = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` });

const oneOf = <const Word extends string>(words: readonly [Word, ...Word[]]) =>
  Type.Enum(words, { description: words.join(', ') });

const list = <Item extends TSchema>(items: Item, minItems = 1) =>
  Type.Array(items, {
    minItems,
    maxItems: ENTRIES_MAX,
    description: `a list of ${minItems} to ${ENTRIES_MAX} entries`,
  });

/** An unknown member is refused: a misspelt optional one would change what the schedule means. */
const strictObject = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false, description: 'an object' });

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Text = Type.String({
  pattern: '\\S',
  maxLength: TEXT_CHARS_MAX,
  description: `a text of 1 to ${TEXT_CHARS_MAX} characters`,
});
const Day = Type.String({ format: 'date', description: 'a day such as "2026-01-31"' });
const Cents = integer(0, CENTS_MAX);
const BasisPoints = integer(0, 10_000);

/** Where a figure comes from. Not used for calculation, but checked. */
const origin = {
  confidence: Type.Optional(oneOf(['official', 'secondary', 'calculator'])),
  sources: Type.Optional(list(Type.String({ description: 'a key of sources' }), 0)),
};

const Category = strictObject({
  category: Text,
  bands: list(strictObject({ upToCents: nullable(Cents), rateBp: BasisPoints })),
  kind: Type.Optional(oneOf(['whole', 'marginal', 'unsettled'])),
  closingCents: Type.Optional(Cents),
  doubt: Type.Optional(Text),
  ...origin,
});

const Shipping = strictObject({
  steps: list(
    strictObject({
      upToLb: integer(1, POUNDS_MAX),
      firstLbCents: Cents,
      furtherLbCents: Type.Optional(Cents),
    }),
  ),
  ...origin,
});

const Edition = strictObject({
  fromOn: nullable(Day),
  categories: list(Category),
  shipping: Shipping,
  closingCents: Type.Optional(Cents),
});

const Promotion = strictObject({
  name: Text,
  fromOn: Day,
  toOn: nullable(Day),
  cuts: list(
    strictObject({
      fee: oneOf(['referral', 'closing', 'shipping']),
      offBp: Type.Optional(BasisPoints),
      offCents: Type.Optional(Cents),
    }),
  ),
  categories: Type.Optional(list(Text)),
  sellerTypes: Type.Optional(list(oneOf(['marketplace', 'fulfilled']))),
});

const FeeScheduleFile = strictObject({
  editions: list(Edition),
  about: Type.Optional(Text),
  sources: Type.Optional(Type.Object({}, { additionalProperties: Text, description: 'an object' })),
  promotions: Type.Optional(list(Promotion, 0)),
});

export type FeeScheduleFile = Static<typeof FeeScheduleFile>;
export type EditionEntry = Static<typeof Edition>;
export type CategoryEntry = Static<typeof Category>;
export type ShippingEntry = Static<typeof Shipping>;
export type PromotionEntry = Static<typeof Promotion>;

/** Parses a file and checks its shape. */
export function parseFeeScheduleFile(text: string): FeeScheduleFile {
  const json = parseJson(text);
  if (Value.Check(FeeScheduleFile, json)) return json;
  return refuseShape(json);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse('the file', `is not JSON: ${oneLine((error as Error).message)}`);
  }
}

type ObjectSchema = { required?: readonly string[]; properties?: object; description?: string };

/** Reports the first mismatch. */
function refuseShape(json: unknown): never {
  const [error] = Value.Errors(FeeScheduleFile, json);
  if (error === undefined) return refuse('the file', 'does not have the shape of a fee schedule');
  const keys = error.instancePath.split('/').slice(1).map(unescapePointer);
  const schemaKeys = error.schemaPath.split('/').slice(1);
  const path = pathOf(json, keys);
  const schema = at(FeeScheduleFile, schemaKeys) as ObjectSchema;
  if (error.keyword === 'required') {
    return refuse(path, `${error.params.requiredProperties[0]} is missing`);
  }
  if (error.keyword === 'boolean') {
    const { properties = {} } = at(FeeScheduleFile, schemaKeys.slice(0, -1)) as ObjectSchema;
    const name = shown(keys.at(-1));
    const allowed = Object.keys(properties).join(', ');
    return refuse(pathOf(json, keys.slice(0, -1)), `has ${name}, may have ${allowed}`);
  }
  const value = at(json, keys);
  if (value === null && isOptionalMember(schemaKeys))
    return refuse(path, 'is null, give a value or leave it out');
  if (error.keyword === 'minItems' || error.keyword === 'maxItems') {
    return refuse(path, `must be ${schema.description}`);
  }
  return refuse(path, `is ${shown(value)}, must be ${schema.description}`);
}

function isOptionalMember(schemaKeys: readonly string[]): boolean {
  if (schemaKeys.at(-2) !== 'properties') return false;
  const { required } = at(FeeScheduleFile, schemaKeys.slice(0, -2)) as ObjectSchema;
  return required?.includes(schemaKeys.at(-1) as string) !== true;
}

function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
}

const unescapePointer = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * Such as `editions[0].categories[3] ("Books").bands`: a category has its name beside its index.
 */
function pathOf(json: unknown, keys: readonly string[]): string {
  let path = '';
  keys.forEach((key, index) => {
    const parent = at(json, keys.slice(0, index));
    if (Array.isArray(parent)) path += `[${key}]`;
    else if (/^\w+$/.test(key)) path += path === '' ? key : `.${key}`;
    else path += `[${shown(key)}]`;
    const name = (parent as Record<string, { category?: unknown }>)[key]?.category;
    const next = keys[index + 1];
    if (typeof name === 'string' && next !== undefined && next !== 'category') {
      path += ` (${shown(name)})`;
    }
  });
  return path === '' ? 'the file' : path;
}

export function refuse(path: string, problem: string): never {
  throw new BadFeeSchedule(`Fee schedule, ${path}: ${problem}.`);
}

/** A value as JSON, shortened, on one line. */
export function shown(value: unknown): string {
  const json = oneLine(JSON.stringify(value));
  return json.length > 60 ? `${json.slice(0, 57)}...` : json;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
