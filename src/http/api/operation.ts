import Joi from 'joi';
import type { Config } from '../../config/config.js';
import type { ErrorCode } from '../../errors.js';
import type { Access } from '../../services/auth/permissions.js';
import type { Core } from '../../services/core.js';

/** The groups of operations. */
export const tags = {
  Authentication: 'Setup, logins and the own account',
  Users: 'Accounts, for the super admin',
  Courses: 'The catalogue, and courses of trainers',
  Enrollments: 'Trainees of courses: requests, assignments, status and progress',
  Imports: 'Imports of accounts from workbooks and CSV files',
  Sessions: 'The sessions of the caller',
  Overview: 'The figures that a client shows first',
  Certificates: 'Confirmations of completed courses',
  Files: 'Course files and images',
  Mails: 'Mails that the service sends',
  Audit: 'The record of privileged changes',
  Service: 'Health, metrics, the demo programme and this description',
} as const;

/**
 * One operation of the API: routing, authorization, the documentation and the contract tests all read it.
 * The service behind it validates its input with the very schemas named here.
 */
export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With `:parameters`, as Express takes it. */
  path: string;
  tag: keyof typeof tags;
  summary: string;
  /** What the summary leaves out. Who may call it follows from `access`. */
  description?: string;
  access: Access;
  /** Open to accounts that must change their initial password first; other operations refuse them with 403. */
  allowsInitialPassword?: true;
  /** Its path is a secret that lets people in: the log has it without its parameters. */
  secretPath?: true;
  /** Only for pages that this service serves: other requests are refused with 403. */
  ownPagesOnly?: true;
  /** Its response sets the session cookie, or removes it. */
  setsCookie?: true;
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.ObjectSchema;
  /** Refuses a request whatever its body is: asked before the body is read. @throws one of the `failures` */
  precondition?: (core: Core) => Promise<void>;
  /** How large the JSON body may be, in bytes; 100 KiB by default. */
  maxBodyBytes?: number;
  /** Answers before the database is reached: probes and metrics. */
  availableBeforeReady?: true;
  /** A file in a field of a multipart form, and the form's other fields. Excludes `body`. */
  upload?: { field: 'file' | 'image'; fields: Joi.ObjectSchema; maxBytes: (config: Config) => number };
  /** No deadline for the database: the work may take many seconds, or minutes. Otherwise a request waits a few seconds for it. */
  databaseDeadline?: 'none';
  /** It reads very many rows, from the database or a file: of all such responses one piece is made at a time (overload/costly-work.ts). */
  exportsRows?: true;
  /** It waits for a hash, in a queue that has its own bound. */
  hashesPassword?: true;
  /** Answers `Range` with a part and `If-None-Match` with 304 (RFC 9110, sections 13.1.2 and 14). */
  acceptsRanges?: true;
  /**
   * The most bytes of JSON that an item of its list can have, where the response can have more than 2 MB. Such responses are built
   * a few at a time (overload/costly-work.ts), by the query's limit, or without one by what the handler expects.
   */
  itemBytes?: number;
  /** The response when all goes well: JSON, or something of another kind that is sent as it comes. */
  success: { status: 200 | 201 | 202; description: string } & (
    | { body: Joi.ObjectSchema; freesSeats?: true }
    | {
        /** Also of this kind, where the query asks for it: see {@link table}. */
        otherContent?: typeof workbookType;
        content:
          | 'text/calendar'
          | 'text/csv'
          | 'text/event-stream'
          | 'text/html'
          | 'text/plain'
          | 'image/webp'
          // Of a kind that the response itself says.
          | '*/*';
      }
  );
  /** Failures that belong to this operation; those of every operation are added where they apply. */
  failures?: readonly ErrorCode[];
}

/** The names of a path's parameters: `'id' | 'fileId'` for `/courses/:id/files/:fileId`. One may be followed by a dot. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | PathParameter<Tail>
    : Rest extends `${infer Name}.${string}`
      ? Name
      : Rest
  : never;

/** Declares operations of a group; each keeps its own types: its path, and which of the optional parts it has. */
export function operations(tag: keyof typeof tags) {
  const declare =
    <const M extends Operation['method']>(method: M) =>
    <const P extends string, const T extends Omit<Operation, 'method' | 'path' | 'tag'>>(path: P, definition: T) => ({
      method,
      path,
      tag,
      ...definition,
    });
  return { get: declare('get'), post: declare('post'), put: declare('put'), delete: declare('delete') };
}

/** @param body the keys of the response, or all of it */
const jsonResponse =
  <const S extends 200 | 201 | 202>(status: S) =>
  (description: string, body: Joi.ObjectSchema | Record<string, Joi.AnySchema>) => ({
    status,
    description,
    body: Joi.isSchema(body) ? (body as Joi.ObjectSchema) : Joi.object(body),
  });

export const ok = jsonResponse(200);
export const created = jsonResponse(201);
export const accepted = jsonResponse(202);

/**
 * A response of an operation that may free seats of courses, or add people to waiting lists: it says whether free seats are left to
 * be given.
 */
export const freeingSeats = <const S extends 200 | 201 | 202>(
  success: ReturnType<ReturnType<typeof jsonResponse<S>>>,
) => ({
  ...success,
  body: success.body.append({ seatsBeingGiven: Joi.valid(true) }),
  freesSeats: true as const,
});

/** The header that says the same as `seatsBeingGiven`. */
export const seatsHeader = 'Seats-Being-Given';

/** A response that isn't JSON. */
export const streamed = <const C extends string>(description: string, content: C) =>
  ({ status: 200, description, content }) as const;

/** The type of Excel workbooks. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A table as CSV, or as a workbook where the parameter `format` asks for it (schemas/table-format.ts). */
export const table = (description: string) =>
  ({ ...streamed(description, 'text/csv'), otherContent: workbookType }) as const;

/** The access rules that need no more words. */
export const anybody = { kind: 'public' } as const;
export const signedIn = { kind: 'signed-in' } as const;
export const superAdmin = { kind: 'roles', roles: ['super_admin'] } as const;

/** The most bytes of JSON that the items of large pages have: their longest texts in four bytes a character. */
export const itemBytes = {
  /** 131,000 with all texts. */
  course: 135_000,
  /** With the course's description, notes and reply. */
  enrollment: 102_000,
  /** A course before and after a change, of which one body brings 100 KiB at most. */
  auditEntry: 240_000,
  /** 256 cells of 100 characters; more where `IMPORT_MAX_COLUMNS` permits more. */
  importRow: 105_000,
} as const;
