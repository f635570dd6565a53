import type { MailKind } from './kinds.js';

interface EnrollmentNews {
  firstName: string;
  course: string;
  courseId: string;
  /** Text that a manager of the course wrote with the change. */
  reply: string | null;
}

interface CompletionNews extends EnrollmentNews {
  /** Code of the certificate; null if the certificate is revoked. */
  certificate: string | null;
}

/**
 * Content of each kind of mail: all values that its templates show besides the programme and its address. Texts are plain.
 */
interface ContentByKind {
  /** `signInWith`: name of the organisation's account; null if the person sets a password. */
  invitation: {
    firstName: string;
    link: string;
    expiresAt: Date;
    email: string;
    message: string | null;
    signInWith: string | null;
  };
  reset: { firstName: string; link: string; lifetimeMs: number };
  /** Contains no text of users, because anybody can have this mail sent to any address. */
  'email-confirm': { link: string; lifetimeMs: number };
  'email-notice': { firstName: string; newEmail: string; link: string; lifetimeMs: number };
  'email-changed': { firstName: string; newEmail: string };
  'password-changed': { firstName: string };
  /** `isNew`: whether the reader is the new super admin or the former one. `other`: name of the other person. */
  'role-transferred': { firstName: string; isNew: boolean; other: string };
  /** `leaving`: number of members who would leave the group by the file. */
  'sync-held': { firstName: string; group: string; file: string; leaving: number; members: number };
  test: object;
  enrolled: EnrollmentNews;
  accepted: EnrollmentNews;
  /** `isPending`: whether the request still waits for the trainer's reply. */
  moved_up: EnrollmentNews & { isPending: boolean };
  refused: EnrollmentNews;
  completed: CompletionNews;
  /** Courses with the number of their open requests; at most ten. `more` counts the other courses. */
  requests: { firstName: string; courses: { title: string; courseId: string; count: number }[]; more: number };
}

export type MailContent<Kind extends MailKind = MailKind> = { [K in Kind]: { kind: K } & ContentByKind[K] }[Kind];

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}
