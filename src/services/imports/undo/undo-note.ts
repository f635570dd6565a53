/** What the ledger keeps of a row for the sake of undo. */
export interface UndoNote {
  /** The fields of an updated account that were changed, as they were. */
  before?: {
    firstName?: string;
    lastName?: string;
    email?: string;
    phone?: string;
    role?: string;
    isActive?: boolean;
    passwordHash?: string;
    requiresPasswordChange?: boolean;
    initialPasswordExpiresAt?: string | null;
    updatedAt: string;
  };
  /** When the update was made: an account that has changed since is left alone. */
  updatedAt?: string;
  /** Ids of the enrollments that were made. */
  enrollments?: string[];
  /** The enrollments that were cancelled and became active again, as they were. */
  revived?: { id: string; enrolledAt: string; notes: string | null; updatedAt: string }[];
}

/** Reads the note of a row of the ledger; `undefined` for a row without one. */
export function undoNoteOf(text: string | null): UndoNote | undefined {
  // Written by this program only.
  return text === null ? undefined : (JSON.parse(text) as UndoNote);
}
