// The one table of limits on machine resources. Business limits (plans, prices) are data elsewhere.

export const bounds = {
  /**
   * Connections of one process to the database, 16 together: several processes share the server's
   * 100. Money and short reads, heavy reads, and loops have their own, so that none of them can
   * take those of the others.
   */
  databaseConnectionsMax: {
    all: { hot: 7, heavy: 4, background: 5 },
    api: { hot: 9, heavy: 5, background: 2 },
    worker: { hot: 3, heavy: 3, background: 10 },
  },
  /** Longest a statement may run on the server; migrations and operator commands set their own. */
  statementTimeoutMs: 15_000,
  /** A transaction left open by a stuck process is ended by the server after this. */
  idleInTransactionTimeoutMs: 10_000,
  /** A request waits this long for a lock that somebody else holds. */
  lockTimeoutMs: 5_000,
  /** How long a connection attempt may take, and how long one is waited for that others have. */
  connectTimeoutMs: 5_000,
  /**
   * A read that lost its connection, or what has not been sent yet, is tried again for this long.
   */
  readRetryMs: 5_000,

  /** Charges booked by one statement, waiting at most, and how old one may get in the queue. */
  chargesPerBatchMax: 512,
  chargesWaitingMax: 20_000,
  chargeWaitMaxMs: 5_000,
  /**
   * Connections for accounts whose balance somebody else holds, and how many may wait for one of
   * them.
   */
  heldLanesMax: 2,
  heldPerAccountMax: 1_000,
  /** How long an unknown outcome is looked into before the request is answered 503. */
  chargeUnknownMaxMs: 10_000,

  /** Look-ups gathered into one statement. */
  readsPerBatchMax: 256,
  readsWaitingMax: 20_000,
  readWaitMaxMs: 5_000,

  /** Pairs of GTIN and product code cached by one process. */
  gtinPairsCachedMax: 200_000,

  /** Histories read by one statement: 1,000 points are 1.5 KB packed. */
  runReadsPerBatchMax: 32,
  /** Rendered history cached by one process. */
  renderedRunsBytesMax: 64_000_000,
  /**
   * Runs read by one statement of a walk: 1,800 bytes each, more only for one large observation.
   */
  runsPerPage: 64,
  /** Products of one list that are read beside each other, so that it leaves connections free. */
  asOfReadsAtOnceMax: 4,
  /** Rendered dates cached by one process: of price points, and of estimated days. */
  pointDatesCachedMax: 8_192,
  dayDatesCachedMax: 16_384,
  /** A market model is fitted to this many products at most, and holds this many at once. */
  modelProductsMax: 5_000,
  modelProductsAtOnceMax: 4,
  /** Categories of which one fit keeps sums. */
  modelCategoriesMax: 2_000,

  /** Codes and GTINs remembered by one process as not found, and look-up outcomes it shares. */
  notFoundRememberedMax: 100_000,
  lookUpOutcomesMax: 1_000,
  /** Accounts whose missed look-ups one process counts; a forgotten one has its whole budget again. */
  missBudgetAccountsMax: 10_000,
  /** Snapshots that one backfill records. */
  backfillSnapshotsMax: 200_000,
  /** Lines that ingest gathers before it records them. As objects 16 MB of lines take 390 MB. */
  ingestGatheredLinesMax: 40_000,
  ingestGatheredBytesMax: 16_000_000,
  /** Refused or held lines that an ingest response lists; further ones are only counted. */
  ingestListedLinesMax: 1_000,

  /** Keys and balances remembered by one process. */
  callersRememberedMax: 100_000,
  /** Lanes of keys cached by one process. */
  lanesCachedMax: 65_536,
  /** A key's standing is asked again after this, so that a revoked one stops within a second. */
  callerAgeMaxMs: 800,

  /** Largest JSON body of a request. */
  bodyBytesMax: 64 * 1024,
  /** Lists and objects within each other; ours have three levels. */
  bodyLevelsMax: 32,
  /** Largest body of snapshots. */
  ingestBytesMax: 100_000_000,
  /** A client has this long to send its headers, and as long again for a JSON body. */
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 10_000,
  /** Streams (ingest) may take this long to arrive whole. */
  requestTimeoutMs: 30 * 60_000,
  keepAliveTimeoutMs: 72_000,
  /**
   * Of one connection: requests worked on at once, and bytes its client has not read before another
   * begins.
   */
  connectionRequestsMax: 16,
  connectionUnsentBytesMax: 1_000_000,
  /** A client that reads nothing of what there is for it is cut off after this. */
  connectionUnreadMaxMs: 30_000,
  connectionsSweepMs: 1_000,
  /**
   * Requests sent ahead wait, 3 KB each: so many of any connection, more only while all have less
   * than so many.
   */
  pipelinedRequestsMax: 32,
  pipelinedTotalMax: 10_000,
  /** Of all connections together; those with the most are cut off. */
  unsentBytesTotalMax: 200_000_000,
  urlBytesMax: 8_192,

  /** Requests that read much (whole lists, long histories): of one account, and of all. */
  heavyRequests: {
    ...{ atOnceMax: 256, atOncePerKeyMax: 4 },
    ...{ waitingMax: 2_000, waitingPerKeyMax: 64, waitMaxMs: 30_000 },
  },
  /**
   * Their parts of some milliseconds each, which take turns by account; fewer than there are
   * connections for them.
   */
  heavyTurns: {
    ...{ atOnceMax: 3, atOncePerKeyMax: 2 },
    ...{ waitingMax: 2_000, waitingPerKeyMax: 64, waitMaxMs: 30_000 },
  },
  /** Estimates of units sold that must be worked out first. */
  salesEstimates: {
    ...{ atOnceMax: 2, atOncePerKeyMax: 1 },
    ...{ waitingMax: 200, waitingPerKeyMax: 16, waitMaxMs: 30_000 },
  },
  /** A response longer than this is sent while it is being written. */
  streamStartChars: 65_536,
  /** A client that takes nothing of it for so long is not waited for. */
  streamStallMs: 30_000,

  /** Requests under way at the stop signal may take this long. */
  stopGraceMs: 4_000,
  /** From the stop signal to the end, everything included. */
  stopWithinMs: 10_000,
} as const;
