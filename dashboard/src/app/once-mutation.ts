// useMutation for actions that a double click must not repeat: creating a key, a test, a secret.
import {
  type UseMutateAsyncFunction,
  type UseMutateFunction,
  type UseMutationOptions,
  useMutation,
} from '@tanstack/react-query';
import { useState } from 'react';
import { createOnce } from './once.ts';

type Options<Data, Variables> = UseMutationOptions<Data, Error, Variables> & {
  /** Which calls count as the same; by default those with the same variables. */
  identify?: (variables: Variables) => string;
};

export function useOnceMutation<Data, Variables = void>(options: Options<Data, Variables>) {
  const { identify = (variables: Variables) => JSON.stringify(variables) ?? '', ...rest } = options;
  const mutation = useMutation<Data, Error, Variables>(rest);
  // The mutation's state is known only after the next render: too late for a fast second click.
  const [once] = useState(() => createOnce());
  const mutateAsync: UseMutateAsyncFunction<Data, Error, Variables> = (...args) =>
    once.run(identify(args[0] as Variables), () => mutation.mutateAsync(...args));
  const mutate: UseMutateFunction<Data, Error, Variables> = (...args) => {
    // The mutation's state holds the error.
    mutateAsync(...args).catch(() => {});
  };
  return { ...mutation, mutate, mutateAsync, isDoubleClick: once.isDoubleClick };
}
