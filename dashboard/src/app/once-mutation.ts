// useMutation for what a second press must not do again: a key, a test, a secret. See once.ts.
import {
  type UseMutateAsyncFunction,
  type UseMutateFunction,
  type UseMutationOptions,
  useMutation,
} from '@tanstack/react-query';
import { useState } from 'react';
import { createOnce } from './once.ts';

type Options<Data, Variables> = UseMutationOptions<Data, Error, Variables> & {
  /** Which presses are the same; by what they send unless told otherwise. */
  identify?: (variables: Variables) => string;
};

export function useOnceMutation<Data, Variables = void>(options: Options<Data, Variables>) {
  const { identify = (variables: Variables) => JSON.stringify(variables) ?? '', ...rest } = options;
  const mutation = useMutation<Data, Error, Variables>(rest);
  // The mutation's own state is known only after the next drawing: too late for a fast second press.
  const [once] = useState(() => createOnce());
  const mutateAsync: UseMutateAsyncFunction<Data, Error, Variables> = (...given) =>
    once.run(identify(given[0] as Variables), () => mutation.mutateAsync(...given));
  const mutate: UseMutateFunction<Data, Error, Variables> = (...given) => {
    // Its failure is in the mutation's state.
    mutateAsync(...given).catch(() => {});
  };
  return { ...mutation, mutate, mutateAsync, isPressing: once.isPressing };
}
