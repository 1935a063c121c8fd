// How long a password may be, as the server has it.
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters.`;
