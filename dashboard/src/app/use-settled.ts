// A typed value once the user pauses, so that not every key press sends a request.
import { useEffect, useState } from 'react';

const PAUSE_MS = 300;

export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
