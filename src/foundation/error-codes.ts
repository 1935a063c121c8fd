// Every error code of the service. Codes are part of the API's contract: they are never renamed or
// reused. docs/errors.md and the page /docs/errors are generated from this table.
import { OPERATOR_ERROR_CODES } from './operator-error-codes.ts';
import { PICTURE_ERROR_CODES } from './picture-error-codes.ts';
import { PRODUCT_ERROR_CODES } from './product-error-codes.ts';
import { REQUEST_ERROR_CODES } from './request-error-codes.ts';
import { SIGN_IN_ERROR_CODES } from './sign-in-error-codes.ts';
import { TRACKING_ERROR_CODES } from './tracking-error-codes.ts';

export const ERROR_CODES = {
  ...REQUEST_ERROR_CODES,
  ...PICTURE_ERROR_CODES,
  ...PRODUCT_ERROR_CODES,
  ...TRACKING_ERROR_CODES,
  ...SIGN_IN_ERROR_CODES,
  ...OPERATOR_ERROR_CODES,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The sections of the page about errors. */
export const ERROR_CODE_SECTIONS = [
  { title: 'API', codes: REQUEST_ERROR_CODES },
  { title: 'Pictures', codes: PICTURE_ERROR_CODES },
  { title: 'Products', codes: PRODUCT_ERROR_CODES },
  { title: 'Tracked products and rules', codes: TRACKING_ERROR_CODES },
  { title: 'Dashboard and sign-in', codes: SIGN_IN_ERROR_CODES },
  { title: 'Operator', codes: OPERATOR_ERROR_CODES },
] as const;
