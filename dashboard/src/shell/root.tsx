// What stands around every page, signed in or not.
import { Outlet } from '@tanstack/react-router';
import { Toaster } from '../design/toast.tsx';

export function Root() {
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  );
}
