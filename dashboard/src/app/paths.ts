// Builds every path of the dashboard; the routes are in routes.tsx.

const withSearch = (path: string, search: Record<string, string | undefined>) => {
  const present = Object.entries(search).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const text = new URLSearchParams(present).toString();
  return text === '' ? path : `${path}?${text}`;
};

export const paths = {
  overview: () => '/',
  products: (search: { q?: string; s?: string } = {}) => withSearch('/products', search),
  product: (code: string) => `/products/${encodeURIComponent(code)}`,
  tracking: (
    search: { add?: string; q?: string; attention?: 'yes'; edit?: string; tag?: string } = {},
  ) => withSearch('/tracking', search),
  finder: () => '/finder',
  events: (search: { product?: string; type?: string; tag?: string } = {}) =>
    withSearch('/events', search),
  webhooks: () => '/webhooks',
  webhook: (id: string, search: { delivery?: string } = {}) =>
    withSearch(`/webhooks/${encodeURIComponent(id)}`, search),
  credits: () => '/credits',
  api: () => '/api',
  settings: () => '/settings',
  signIn: (search: { next?: string } = {}) => withSearch('/sign-in', search),
  signUp: (search: { email?: string } = {}) => withSearch('/sign-up', search),
  finishSignUp: () => '/finish-sign-up',
  forgotPassword: (search: { email?: string } = {}) => withSearch('/forgot-password', search),
  resetPassword: () => '/reset-password',
  /** The API reference is served by the server, not by this app. */
  docs: () => '/docs',
};
