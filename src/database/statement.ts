// A statement as it is written down once, and the connections that take one.

/** A statement with a name is prepared once in each connection. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  /** Reads much, or for long: outside a transaction it is sent to the pool for such reads. */
  readonly isHeavy?: boolean;
};

export function statement(name: string, text: string): Statement {
  return { name, text };
}

/**
 * A read whose size or duration a customer decides: ranges of history, lists, exports. Marked where it is written, so
 * that whoever sends it cannot choose the wrong pool.
 */
export function heavyStatement(name: string, text: string): Statement {
  return { name, text, isHeavy: true };
}

export type Connection = {
  query<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
};

/** A connection inside BEGIN … COMMIT. Functions that need one ask for it, never open it themselves. */
export type Transaction = Connection & { readonly inTransaction: true };
