// Joins the class names that apply.
export type ClassName = string | false | null | undefined;

export function classNames(...names: readonly ClassName[]): string {
  return names.filter(Boolean).join(' ');
}
