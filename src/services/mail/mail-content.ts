import type { MailKind } from './kinds.js';

interface EnrollmentNews {
  firstName: string;
  course: string;
  courseId: string;
  /** What a manager of the course has written with the change. */
  reply: string | null;
}

interface CompletionNews extends EnrollmentNews {
  /** The code of the certificate; null when it has been revoked. */
  certificate: string | null;
}

/** What the templates say: everything that a mail shows besides the programme and its address. Texts are plain. */
interface ContentByKind {
  invitation: { firstName: string; link: string; expiresAt: Date; email: string; message: string | null };
  reset: { firstName: string; link: string; lifetimeMs: number };
  /** Nothing that a person typed: anybody can send it to any address. */
  'email-confirm': { link: string; lifetimeMs: number };
  'email-notice': { firstName: string; newEmail: string; link: string; lifetimeMs: number };
  'email-changed': { firstName: string; newEmail: string };
  'password-changed': { firstName: string };
  /** `isNew`: the reader is the super admin now; else no longer. */
  'role-transferred': { firstName: string; isNew: boolean; other: string };
  test: object;
  enrolled: EnrollmentNews;
  accepted: EnrollmentNews;
  /** `isPending`: the request is with the trainer; else it is accepted. */
  moved_up: EnrollmentNews & { isPending: boolean };
  refused: EnrollmentNews;
  completed: CompletionNews;
  /** The courses that have open requests, with their number; at most ten, the others counted in `more`. */
  requests: { firstName: string; courses: { title: string; courseId: string; count: number }[]; more: number };
}

/** What a mail of each kind shows. */
export type MailContent<Kind extends MailKind = MailKind> = { [K in Kind]: { kind: K } & ContentByKind[K] }[Kind];

/** A mail in words. */
export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}
