import type { ImportOptions } from './import.js';

/** A sync that was held, because too many members would leave. */
export interface HeldSync {
  /** Members who would leave. */
  leaving: number;
  /** Members whom files added. */
  members: number;
  /** Members who may leave without an approval. */
  limit: number;
}

/** A held sync as a group records it, with its file and time. */
export type RecordedHold = HeldSync & { file: string; at: string };

/** A group that files keep in step. */
export interface RosterDetails {
  /** Options of the next syncs. */
  options: Partial<ImportOptions>;
  syncedAt: Date;
  /** Number of members whom syncs took out, and who have not come back. */
  formerMembers: number;
  /** The last sync, if it was held. */
  held: RecordedHold | null;
}
