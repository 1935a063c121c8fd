// Tags as people type them: separated by commas or spaces. Pure.

export const TAGS_MAX = 10;
const TAG = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/;

export const readTags = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((word) => word !== '')),
];

/** Why the server would refuse these tags; undefined if it would not. */
export function tagProblem(tags: readonly string[]): string | undefined {
  const wrong = tags.find((tag) => !TAG.test(tag));
  if (wrong !== undefined)
    return `“${wrong.slice(0, 40)}” is not a tag: 1 to 32 letters, digits and _ . : - are allowed.`;
  return tags.length > TAGS_MAX ? `At most ${TAGS_MAX} tags are allowed.` : undefined;
}

/** The tags of a product after some are added and others removed. */
export const retagged = (
  tags: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] => [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag));

/** All tags in use, sorted. */
export const tagsInUse = (rows: readonly { tags: readonly string[] }[]): string[] =>
  [...new Set(rows.flatMap(({ tags }) => tags))].sort();
