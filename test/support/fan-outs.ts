// Statements that may ask all shards, each with the reason. Everything else names its lanes.
export const FAN_OUTS: readonly { like: RegExp; reason: string }[] = [];
