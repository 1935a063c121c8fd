// Links that open one chart without an API key. Everything about the chart is inside the link,
// encrypted and authenticated: nothing is stored, the account cannot be read from it, and neither
// the chart nor the expiry can be changed.
import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../foundation/secret.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { CHART_SERIES, type ChartSeries } from './chart.ts';
import type { PictureOptions } from './make-picture.ts';

export type ChartLink = {
  accountId: string;
  /** In real time, like all links. */
  expiresAtMs: number;
  picture: PictureOptions;
};

const PURPOSE = 'chart-link';
const KEY_BYTES = 32;

/** Keys of their own, so that a link never shares one with stored secrets. */
const derivedKeys = (encryptionKeys: readonly Buffer[]): Buffer[] =>
  encryptionKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', PURPOSE, KEY_BYTES)));

/** A compact form: it is part of a URL. */
type Packed = [
  accountId: string,
  expiresAtSeconds: number,
  code: string,
  format: 'svg' | 'png',
  from: number | null,
  to: number,
  series: string,
  width: number,
  height: number,
  theme: 'light' | 'dark',
  scale: number,
];

export function sealLink(encryptionKeys: readonly Buffer[], link: ChartLink): string {
  const { picture } = link;
  const packed: Packed = [
    link.accountId,
    Math.floor(link.expiresAtMs / SECOND_MS),
    picture.code,
    picture.format,
    picture.fromAtSeconds,
    picture.toAtSeconds,
    [...picture.series].join(),
    picture.widthPx,
    picture.heightPx,
    picture.theme,
    picture.scale,
  ];
  const plain = Buffer.from(JSON.stringify(packed));
  return encrypt(derivedKeys(encryptionKeys), plain, PURPOSE).toString('base64url');
}

/** Returns null for anything that was not sealed with one of the keys, and for expired links. */
export function openLink(
  encryptionKeys: readonly Buffer[],
  token: string,
  nowMs: number,
): ChartLink | null {
  const sealed = Buffer.from(token, 'base64url');
  // Base64 has several spellings of the same bytes; only the one that was made opens.
  if (sealed.toString('base64url') !== token) return null;
  const plain = decrypt(derivedKeys(encryptionKeys), sealed, PURPOSE);
  if (plain === null) return null;
  const [accountId, expiresAtSeconds, code, format, from, to, series, width, height, theme, scale] =
    JSON.parse(plain.toString()) as Packed;
  if (expiresAtSeconds * SECOND_MS <= nowMs) return null;
  return {
    accountId,
    expiresAtMs: expiresAtSeconds * SECOND_MS,
    picture: {
      code,
      format,
      fromAtSeconds: from,
      toAtSeconds: to,
      series: seriesOf(series.split(',')),
      widthPx: width,
      heightPx: height,
      theme,
      scale,
    },
  };
}

/** In the order of the panels, whatever the order of the names. */
export const seriesOf = (names: readonly string[]): ReadonlySet<ChartSeries> =>
  new Set(CHART_SERIES.filter((one) => names.includes(one)));
