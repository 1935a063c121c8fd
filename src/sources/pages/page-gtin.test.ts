// Which numbers on a page are read as GTINs.
import { describe, expect, test } from 'vitest';
import { itemsOfJsonLd } from './json-ld.ts';
import { gtinMembers, gtinsOf } from './page-gtin.ts';

describe('the GTINs of a product', () => {
  test.each<[string, object, string[]]>([
    ['a UPC where it belongs', { gtin12: '036000291452' }, ['00036000291452']],
    ['a UPC in the field for EANs', { gtin13: '036000291452' }, ['00036000291452']],
    ['an EAN in the plain field', { gtin: '4006381333931' }, ['04006381333931']],
    ['a UPC with zeros in front', { gtin14: '00036000291452' }, ['00036000291452']],
    ['a carton of it', { gtin14: '10036000291459' }, []],
    ['eight digits with a right check digit', { gtin8: '96385074' }, ['00000096385074']],
    ['eight digits with a wrong one', { gtin8: '96385075' }, []],
    ['a wrong check digit of twelve', { gtin12: '036000291453' }, ['00036000291453']],
    ['a prefixed product id', { productID: 'upc:036000291452' }, ['00036000291452']],
    ['another product id', { productID: 'sku:036000291452' }, []],
    ['with spaces and hyphens', { isbn: '978-0-306-40615-7' }, ['09780306406157']],
    ['an address of GS1', { gtin: 'https://id.gs1.org/01/09506000134352' }, ['09506000134352']],
    ['a number', { gtin13: 4_006_381_333_931 }, ['04006381333931']],
    ['the same twice', { gtin: '036000291452', gtin13: '0036000291452' }, ['00036000291452']],
    ['words', { gtin13: 'does not apply' }, []],
    ['a shop’s own number', { gtin13: 'T-7001234' }, []],
    ['eleven digits', { gtin12: '36000291452' }, []],
    ['zeros', { gtin13: '0000000000000' }, []],
    ['nothing', {}, []],
  ])('%s', (_, members, gtins) => {
    expect(gtinsOf(itemsOfJsonLd([{ '@type': 'Product', ...members }]))).toEqual(gtins);
  });
});

describe('the GTINs in a snapshot', () => {
  const [upc, ean, wrong] = ['00036000291452', '04006381333931', '00036000291453'];
  test.each<[string[], string | null, string | null]>([
    [[], null, null],
    [[upc], '036000291452', null],
    [[ean], null, '4006381333931'],
    [[ean, upc], '036000291452', '4006381333931'],
    [[wrong, upc], '036000291452', '0036000291453'],
    [[wrong, ean, upc], '036000291452', '4006381333931'],
  ])('%j are %j and %j', (gtins, asUpc, asEan) => {
    expect(gtinMembers(gtins)).toEqual({ upc: asUpc, ean: asEan });
  });
});
