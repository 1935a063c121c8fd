// Splitting SQL: a semicolon ends a statement, except in a string, name, body or comment.
import { expect, test } from 'vitest';
import { concurrentIndex, splitStatements } from './sql-text.ts';

test.each([
  ['nothing', '', []],
  ['comments alone', '-- a; b\n/* c; d */ ;', []],
  ['two', 'select 1; select 2;', ['select 1', 'select 2']],
  ['one without an end', 'select 1', ['select 1']],
  ['texts', `select 'a;''b;'; select 2`, [`select 'a;''b;'`, 'select 2']],
  ['names', 'select 1 as "a;b"; select 2', ['select 1 as "a;b"', 'select 2']],
  ['bodies', 'do $$ begin; end $$; do $x$ $$;$$ $x$', ['do $$ begin; end $$', 'do $x$ $$;$$ $x$']],
  ['comments between', 'select 1 -- it; isn’t\n; select 2', ['select 1 -- it; isn’t', 'select 2']],
])('%s', (_, text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
});

test('recognizes an index that is built concurrently', () => {
  expect(
    concurrentIndex('-- why\ncreate unique index concurrently if not exists a on b.c (d) where e'),
  ).toEqual({ isUnique: true, name: 'a', table: 'b.c', rest: '(d) where e' });
  expect(concurrentIndex('create index a on b (c)')).toBeNull();
});
