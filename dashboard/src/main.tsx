// Starts the dashboard: the cache, the router and their providers.
import './design/theme.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { mendLanguages } from './design/locale.ts';
import { router } from './routes.tsx';
import { followSession } from './shell/signed-out.ts';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no element with the id "app".');

// The chart library is loaded later and throws at languages that formatters reject.
mendLanguages(navigator);
followSession(router);

createRoot(root).render(
  <StrictMode>
    {/* The content security policy forbids style elements created by scripts. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={350} closeDelay={0}>
          <RouterProvider router={router} />
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
