// The one table of limits on machine resources. Business limits (plans, prices) are data elsewhere.

export const bounds = {
  /**
   * Database connections of one process unless DATABASE_CONNECTIONS is set: eight processes share
   * the 97 that a server with default settings has for them. The fewest leave two for each pool.
   */
  databaseConnectionsDefault: 12,
  databaseConnectionsMin: 6,
  /** Longest a statement may run on the server; migrations and operator commands set their own. */
  statementTimeoutMs: 15_000,
  /** A transaction left open by a stuck process is ended by the server after this. */
  idleInTransactionTimeoutMs: 10_000,
  /** How long a request waits for a lock that another transaction holds. */
  lockTimeoutMs: 5_000,
  /** How long a connection attempt may take, and how long to wait for a free connection. */
  connectTimeoutMs: 5_000,
  /** How long to retry a read that lost its connection, or a statement not yet sent. */
  readRetryMs: 5_000,

  /** A process that does not renew its leases for this long has died; others take them over. */
  leaseLifetimeMs: 12_000,
  /** A machine's clock that is further from the database's than this is reported. */
  clockSkewMaxMs: 1_000,

  /** Charges booked by one statement, charges queued, and the longest wait in the queue. */
  chargesPerBatchMax: 512,
  chargesWaitingMax: 20_000,
  chargeWaitMaxMs: 5_000,
  /**
   * Connections for accounts whose balance another transaction has locked, and how many charges
   * may wait for one such account.
   */
  heldLanesMax: 2,
  heldPerAccountMax: 1_000,
  /** How long the outcome of a charge is investigated before the request fails with 503. */
  chargeUnknownMaxMs: 10_000,

  /** Look-ups batched into one statement, look-ups queued, and the longest wait. */
  readsPerBatchMax: 256,
  readsWaitingMax: 20_000,
  readWaitMaxMs: 5_000,

  /** Markers of one slot that a process remembers (database/markers.ts). */
  markersRememberedMax: 100_000,

  /** Pairs of GTIN and product code cached by one process. */
  gtinPairsCachedMax: 200_000,

  /** Histories read by one statement: 1,000 points are 1.5 KB packed. */
  runReadsPerBatchMax: 32,
  /** Rendered history cached by one process. */
  renderedRunsBytesMax: 64_000_000,
  /** The same runs rendered and compressed, to a tenth. */
  encodedRunsBytesMax: 16_000_000,
  /**
   * Runs read by one statement of a walk: 1,800 bytes each, more only for one large observation.
   */
  runsPerPage: 64,
  /** Summaries of runs read by one statement per product and stream: 60 to 200 bytes each. */
  summariesPerPage: 1_000,
  /** Summaries of older runs that one request stores. */
  summariesFilledMax: 200,
  /** Products of one list read in parallel; keeps connections free for other requests. */
  asOfReadsAtOnceMax: 4,
  /** Rendered dates cached by one process: of price points, and of estimated days. */
  pointDatesCachedMax: 8_192,
  dayDatesCachedMax: 16_384,
  /** A market model is fitted to this many products at most, and keeps this many in memory. */
  modelProductsMax: 5_000,
  modelProductsAtOnceMax: 4,
  /** Categories for which one fit keeps sums. */
  modelCategoriesMax: 2_000,
  /** Sellers of a product whose selling and restocking habits are stored. */
  habitSellersMax: 24,
  /** Readings and sellers that the explanation of one day lists. */
  explainedReadingsMax: 20,
  explainedSellersMax: 20,

  /** Facts of products refreshed in one round of a process, several rounds a second. */
  factsRefreshedAtOnce: 25,
  factsRoundBudgetMs: 100,
  factsRoundPauseMs: 250,
  /** Products compared with their facts in one round, and the shortest rest after all of them. */
  factsSweptAtOnce: 2_000,
  factsSweepRestMs: 5_000,
  /** Recorded products that wait for their facts; more are found by the sweep. */
  staleProductsMax: 100_000,
  /** Words that one process remembers to have stored. */
  searchWordsCachedMax: 100_000,
  /** A search or a page of the finder that takes longer is cancelled. */
  searchBudgetMs: 2_000,

  /** Codes and GTINs remembered by one process as not found, and look-up outcomes it shares. */
  notFoundRememberedMax: 100_000,
  lookUpOutcomesMax: 1_000,
  /** Accounts whose missed look-ups one process counts; an evicted one gets its full budget. */
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
  /** A cached key is read again after this, so that a revoked one stops within a second. */
  callerAgeMaxMs: 800,

  /** Largest JSON body of a request. */
  bodyBytesMax: 64 * 1024,
  /** Items of one bulk call, and its largest body: the largest items have about 1,900 bytes. */
  bulkItemsMax: 1_000,
  bulkBytesMax: 2_000_000,
  /** Rules for many products that an account may have. */
  accountRulesMax: 50,
  /** Tags of a product, characters of a tag, and the customer's own data of a product as JSON. */
  tagsMax: 10,
  /** Time zones whose rules one process keeps: there are about 600. */
  timeZonesCachedMax: 700,
  /** The longest time to live of a tracked product: ten years. */
  ttlHoursMax: 87_600,
  tagCharsMax: 32,
  metadataBytesMax: 300,
  /** A customer's condition: characters, parts, levels; and those one process keeps compiled. */
  conditionCharsMax: 500,
  conditionNodesMax: 64,
  conditionDepthMax: 16,
  conditionsCachedMax: 10_000,
  /** Look-ups at the marketplace that one call runs at once, and how long it begins new ones. */
  lookUpManyAtOnceMax: 16,
  /**
   * Products of one batch, products whose statistics are read together, and the longest that a
   * batch waits for its rate limit.
   */
  batchItemsMax: 100,
  batchStatisticsMax: 10,
  tokensWaitMaxMs: 15_000,
  lookUpManyMaxMs: 20_000,
  /** Nesting depth of lists and objects; our bodies have three levels. */
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
   * Per connection: requests handled at once, and unread response bytes above which no further
   * request starts.
   */
  connectionRequestsMax: 16,
  connectionUnsentBytesMax: 1_000_000,
  /** A client that reads none of its pending response is disconnected after this. */
  connectionUnreadMaxMs: 30_000,
  connectionsSweepMs: 1_000,
  /**
   * Pipelined requests wait, 3 KB each: up to the first number for any connection, more only while
   * all connections together have fewer than the second.
   */
  pipelinedRequestsMax: 32,
  pipelinedTotalMax: 10_000,
  /** Unsent bytes of all connections together; those with the most are disconnected. */
  unsentBytesTotalMax: 200_000_000,
  urlBytesMax: 8_192,

  /**
   * Responses in the library of an account, their compressed bytes, and those of one of them; a
   * larger one is not stored.
   */
  libraryEntriesMax: 1_000,
  libraryBytesMax: 20_000_000,
  libraryBodyBytesMax: 1_000_000,

  /** Requests that read a lot (whole lists, long histories), per account and in total. */
  heavyRequests: {
    atOnceMax: 256,
    atOncePerKeyMax: 4,
    waitingMax: 2_000,
    waitingPerKeyMax: 64,
    waitMaxMs: 30_000,
  },
  /**
   * Parts of heavy requests, some milliseconds each, which take turns by account; fewer than the
   * heavy connections.
   */
  heavyTurns: {
    atOnceMax: 3,
    atOncePerKeyMax: 2,
    waitingMax: 2_000,
    waitingPerKeyMax: 64,
    waitMaxMs: 30_000,
  },
  /** Sales estimates that must be computed first. */
  salesEstimates: {
    atOnceMax: 2,
    atOncePerKeyMax: 1,
    waitingMax: 200,
    waitingPerKeyMax: 16,
    waitMaxMs: 30_000,
  },
  /** Pictures that wait to be rendered, and how long one may take before it fails. */
  picturesWaitingMax: 100,
  pictureMaxMs: 5_000,
  /** Pixels of a PNG picture; 1200 by 630 is the usual size. */
  picturePixelsMax: 6_000_000,
  /** Rendered pictures of links that one process keeps. */
  linkedPicturesBytesMax: 16_000_000,
  /** Events marked on a chart, and widths of characters remembered. */
  chartMarksMax: 200,
  fontAdvancesCachedMax: 4_096,
  glyphOutlinesCachedMax: 1_024,
  /** A response longer than this is sent while it is being written. */
  streamStartChars: 65_536,
  /** A client that reads nothing of such a response for this long is disconnected. */
  streamStallMs: 30_000,
  /** A paid response up to this length has an ETag; a longer one is sent while it is written. */
  taggedCharsMax: 1_000_000,
  /** Largest response with one array per column, which is written only when all of it is known. */
  columnCharsMax: 16_000_000,
  /** Records of a history that one part of a response holds. */
  recordsPerPart: 500,

  /** Requests in flight at the stop signal may take this long. */
  stopGraceMs: 4_000,
  /** From the stop signal to the end, everything included. */
  stopWithinMs: 10_000,
} as const;
