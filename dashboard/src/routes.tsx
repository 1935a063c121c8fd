// The table of all routes. Paths are built by app/paths.ts; pages are loaded when first shown.
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { isSignedOut } from './app/api-problem.ts';
import { paths } from './app/paths.ts';
import { queryClient } from './app/query-client.ts';
import { sessionQuery } from './app/session.ts';
import { Toaster } from './design/toast.tsx';
import { FailedPage, PageLoadError, StartingPage } from './shell/failed-page.tsx';
import { Frame } from './shell/frame.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { safeNext } from './shell/signed-out.ts';

function Root() {
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  );
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

/** All pages that need a session. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Frame,
  pendingComponent: StartingPage,
  errorComponent: FailedPage,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      const next = location.href === '/' ? undefined : location.href;
      throw redirect({ href: paths.signIn({ next }), replace: true });
    }
  },
});

// biome-ignore lint/suspicious/noExplicitAny: a page module is read by the name of its page alone.
type PageModule = Record<string, any>;

/**
 * A page whose file is loaded when it is first shown. If that fails (no connection, a server
 * restart), the frame stays, shows the error and can retry; the router's own loader would reload
 * the document and lose it.
 */
function lazily(load: () => Promise<PageModule>, name: string) {
  let Page: ComponentType | undefined;
  return {
    loader: async () => {
      Page ??= (await loaded(load))[name] as ComponentType;
    },
    component: () => (Page ? <Page /> : null),
    errorComponent: FailedPage,
  };
}

const loaded = (load: () => Promise<PageModule>) =>
  load().catch((cause) => {
    throw new PageLoadError(cause);
  });

const page = (path: string, load: () => Promise<PageModule>, name: string) =>
  createRoute({ getParentRoute: () => app, path, ...lazily(load, name) });

const outside = (path: string, load: () => Promise<PageModule>, name: string) =>
  createRoute({ getParentRoute: () => root, path, ...lazily(load, name) });

/** Users who are signed in are redirected. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  ...lazily(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
  pendingComponent: StartingPage,
  beforeLoad: async ({ search }) => {
    const isIn = await queryClient.fetchQuery({ ...sessionQuery, retry: false }).then(
      () => true,
      // Also when the server does not respond: the form then says so.
      () => false,
    );
    const { next } = search as { next?: string };
    if (isIn) throw redirect({ href: safeNext(next), replace: true });
  },
});

/** The former address of /tracking, in bookmarks and old links. */
const formerTrackingPage = createRoute({
  getParentRoute: () => root,
  path: '/oversight',
  beforeLoad: ({ location }) => {
    throw redirect({ href: `${paths.tracking()}${location.searchStr}`, replace: true });
  },
});

const tree = root.addChildren([
  app.addChildren([
    page('/', () => import('./overview/overview-page.tsx'), 'OverviewPage'),
    page('/products', () => import('./products/products-page.tsx'), 'ProductsPage'),
    page('/products/$code', () => import('./products/product-page.tsx'), 'ProductPage'),
    page('/finder', () => import('./products/finder-page.tsx'), 'FinderPage'),
    page('/tracking', () => import('./tracking/tracked-products-page.tsx'), 'TrackedProductsPage'),
    page('/events', () => import('./events/events-page.tsx'), 'EventsPage'),
    page('/webhooks', () => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    page('/webhooks/$id', () => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
    page('/credits', () => import('./credits/credits-page.tsx'), 'CreditsPage'),
    page('/api', () => import('./api-examples/api-examples-page.tsx'), 'ApiExamplesPage'),
    page('/settings', () => import('./settings/settings-page.tsx'), 'SettingsPage'),
  ]),
  formerTrackingPage,
  signIn,
  outside('/sign-up', () => import('./sign-in/sign-up-page.tsx'), 'SignUpPage'),
  outside('/finish-sign-up', () => import('./sign-in/finish-sign-up-page.tsx'), 'FinishSignUpPage'),
  outside(
    '/forgot-password',
    () => import('./sign-in/forgot-password-page.tsx'),
    'ForgotPasswordPage',
  ),
  outside(
    '/reset-password',
    () => import('./sign-in/reset-password-page.tsx'),
    'ResetPasswordPage',
  ),
]);

export const router = createRouter({
  routeTree: tree,
  // One page for all unknown paths; it decides whether to show the frame.
  notFoundMode: 'root',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  // Search parameters stay strings: a product code must not become a number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
});
