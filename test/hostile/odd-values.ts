// Values that nobody expects, for requests that try to break something: texts, numbers, times, cursors, JSON.

const uuid = (digit: string) => '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit);
const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

export const ODD_TIMES: readonly string[] = [
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59'],
  ...['2016-12-31T23:59:60Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z'],
  ...['2026-02-30T00:00:00Z', '2026-11-14', '2026-11-14T24:00:00Z', '2026-11-14 12:00:00Z'],
  ...['1969-12-31T23:59:59Z', '1970-01-01T00:00:00+23:59', '2026-11-14T12:00:00.000000001Z'],
  ...['0001-01-01T00:00:00+14:00', 'infinity', '-infinity', 'now', 'epoch', '2026-W01-1'],
];

export const ODD_CURSORS: readonly string[] = [
  ...[[], ['x'], [1], [-1, uuid('0')], [1e15, uuid('f')], [253_402_300_799_999, uuid('a')]],
  ...[[0, uuid('0')], [1.5, uuid('0')], [null, null], [{}, {}], [1, 'x\0'], [[[[[[1]]]]]]],
  ...[{ length: 2, 0: 1 }, 'text', 7, null, [Number.MAX_SAFE_INTEGER, uuid('0')]],
  ...[
    [1_763_121_600_000, uuid('f'), 1],
    [1_763_121_600_000, `${uuid('f')}\0`],
  ],
].map(cursor);

export const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\ud800', '\udc00x', 'x\ud83d', '😀'.repeat(50), 'é', 'e\u0301'],
  ...['\u202eabc', '\ufeff', '\u2028', '\r\nx: y', '\t', 'x'.repeat(300), 'x'.repeat(5_000)],
  ...["' or 1=1 --", '"; drop table x', '%', '_', '\\', '\\x00', '$1', '{{x}}', '<b>'],
  ...['../../etc/passwd', '..%2f', '__proto__', 'constructor', 'hasOwnProperty', 'toString'],
  ...['null', 'undefined', 'NaN', 'true', '-1', '0', '1e309', '-0', '9'.repeat(30), '0x10'],
  ...['1.5', ' 1', '1 ', '+1', '١٢٣', '²', '2147483648', '9223372036854775808', '1,2', '[]'],
  ...[uuid('0'), uuid('f'), uuid('0').toUpperCase(), `${uuid('a')} `, '{}', 'dry_run', '*'],
  ...['00000000000000000000', '036000291452', '036000291453', '4006381333931', '\u0661'],
  ...['https://10.0.0.1/', 'https://localhost/', 'http://[::1]:8080/', 'https://a.example:0/'],
  ...['https://ex ample.com', 'https://\0', 'https://xn--', 'https://%00/', 'javascript:1'],
  ...['a@b', 'a@b.c', `${'a'.repeat(300)}@example.com`, 'a@example.com\0', '"a b"@example.com'],
  ...ODD_TIMES,
  ...ODD_CURSORS,
];

/** As JSON texts, since some of it no value could hold. */
export const ODD_JSON: readonly string[] = [
  ...['null', 'true', 'false', '0', '-1', '-0', '1.5', '1e308', '1e309', '-1e309', '1e-320'],
  ...['9007199254740993', '2147483648', '99999999999999999999', '""', '" "', '[]', '{}', '[[]]'],
  ...['"\\u0000"', '"\\ud800"', '"a\\u0000b"', '[null]', '[1,2,3]', '{"a":{"b":[]}}'],
  ...[nested(31), nested(33), nested(5_000), `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '{"toString":1}'],
  ...['{"a":1,"a":2}', '{"":1}', '{"\\u0000":1}', '{"length":5}', `["${'x'.repeat(3_000)}"]`],
  `[${'1,'.repeat(2_000)}1]`,
  `[${'{},'.repeat(1_000)}{}]`,
];

/** What is no JSON at all, or not only. */
export const BROKEN_BODIES: readonly (string | Buffer)[] = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '"',
    '{"a"',
    '{"a":1,}',
    '{]',
    'nul',
    '\ufeff{}',
    '{}{}',
    '{} x',
    "{'a':1}",
  ],
  ...['NaN', 'Infinity', '01', '1.', '.5', '+1', '"\u0001"', '\\u0000', '{"a":undefined}', '\0'],
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.alloc(70_000, 'x'),
  '['.repeat(60_000),
  `${' '.repeat(60_000)}{}`,
];

export const ODD_TYPES: readonly string[] = [
  ...['application/json', 'application/json; charset=utf-16', 'text/plain', 'APPLICATION/JSON'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'],
  ...['', ';', '/', 'application/json;;;', 'application/jsonx', '*/*', 'application/json, text/x'],
];

export const ODD_HOSTS: readonly string[] = [
  ...['', ':', '[', ']', '[::1', 'evil.example', 'localhost:8080@evil', 'a b', '%00', '..', '::'],
  ...['localhost:99999', 'localhost:', 'LOCALHOST:8080', '127.0.0.1:8080', 'x'.repeat(3_000), 'é'],
];
