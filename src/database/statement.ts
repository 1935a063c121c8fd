// SQL statements, and the connections that run them.

/** A named statement is prepared once per connection. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  /** Reads a lot or for long; outside a transaction it goes to the heavy pool. */
  readonly isHeavy?: boolean;
};

export function statement(name: string, text: string): Statement {
  return { name, text };
}

/**
 * A read whose size or duration a customer decides: ranges of history, lists, exports. Marked at
 * its definition, so that no caller can choose the wrong pool.
 */
export function heavyStatement(name: string, text: string): Statement {
  return { name, text, isHeavy: true };
}

export type Connection = {
  query<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
};

/** A connection inside BEGIN … COMMIT. Functions take one as a parameter, never open it. */
export type Transaction = Connection & { readonly inTransaction: true };
