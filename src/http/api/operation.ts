import Joi from 'joi';
import type { Config } from '../../config/config.js';
import type { ErrorCode } from '../../errors.js';
import type { Access } from '../../services/auth/permissions.js';
import type { Core } from '../../services/core.js';

export const tags = {
  Authentication: "Setup, logins and the caller's account",
  Users: 'Accounts, for the super admin',
  Groups: 'Groups of people, to list and enroll together',
  Courses: 'The catalogue, and courses of trainers',
  Enrollments: 'Trainees of courses: requests, assignments, status and progress',
  Imports: 'Imports of accounts from workbooks and CSV files',
  Sessions: 'The sessions of the caller',
  Overview: 'Figures for the first page of a client',
  Certificates: 'Confirmations of completed courses',
  Files: 'Course files and images',
  Mails: 'Mails that the service sends',
  Audit: 'Log of privileged changes',
  Service: 'Health, metrics, the demo programme and this description',
} as const;

/**
 * One operation of the API. Routing, authorization, the documentation and the contract tests read this declaration.
 * The service function of an operation validates the input with the same schemas.
 */
export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Path for Express, with `:parameters`. */
  path: string;
  tag: keyof typeof tags;
  summary: string;
  /** Details. The document adds the permitted callers from `access`. */
  description?: string;
  access: Access;
  /** Open to accounts that must change their initial password first; other operations refuse them with 403. */
  allowsInitialPassword?: true;
  /** The path contains a secret, so the log omits its parameters. */
  secretPath?: true;
  /** Only pages of this service may call the operation; other requests are refused with 403. */
  ownPagesOnly?: true;
  /** The response sets or removes a cookie of the web console. */
  setsCookie?: true;
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.ObjectSchema;
  /** Refuses requests before their body is read. @throws one of the `failures` */
  precondition?: (core: Core) => Promise<void>;
  /** Maximum bytes of the JSON body; 100 KiB by default. */
  maxBodyBytes?: number;
  /** Works before the database is ready, for probes and metrics. */
  availableBeforeReady?: true;
  /** A multipart form with a file in `field`, and other `fields`. Excludes `body`. */
  upload?: { field: 'file' | 'image'; fields: Joi.ObjectSchema; maxBytes: (config: Config) => number };
  /** No deadline for the database, because the work may take minutes. Other operations have a few seconds. */
  databaseDeadline?: 'none';
  /** Reads very many rows. The service produces one piece at a time for all such responses (overload/costly-work.ts). */
  exportsRows?: true;
  /** Waits for a password hash, in a separate bounded queue. */
  hashesPassword?: true;
  /** Supports `Range`, and 304 for `If-None-Match` (RFC 9110, sections 13.1.2 and 14). */
  acceptsRanges?: true;
  /**
   * Maximum JSON bytes of a list item, if the response may exceed 2 MB. The service builds few large responses at a time
   * (overload/costly-work.ts). The number of items is the query's `limit`. Without a `limit`, the handler calls
   * `reserveMemory` with the number.
   */
  itemBytes?: number;
  /** The successful response: JSON, or a stream of another content type. */
  success: { status: 200 | 201 | 202 | 303; description: string } & (
    | { body: Joi.ObjectSchema; freesSeats?: true }
    /** Sends the browser to the `location` in the result of the handler. */
    | { redirects: true }
    | {
        /** Alternative content type on request: see {@link table}. */
        otherContent?: typeof workbookType;
        content:
          | 'text/calendar'
          | 'text/csv'
          | 'text/event-stream'
          | 'text/html'
          | 'text/plain'
          | 'image/webp'
          // The response sets its own content type.
          | '*/*';
      }
  );
  /** Failures of this operation. The document adds the common failures. */
  failures?: readonly ErrorCode[];
}

/** Names of a path's parameters: `'id' | 'fileId'` for `/courses/:id/files/:fileId`. A dot may follow a name. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | PathParameter<Tail>
    : Rest extends `${infer Name}.${string}`
      ? Name
      : Rest
  : never;

/** Declares operations of a group. Each operation keeps the literal types of its path and optional parts. */
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

/**
 * Returns a function that declares JSON responses with a status. Its parameter `body` has the keys of the response, or its
 * schema.
 */
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
 * Declares the response of an operation that may free seats, or extend a waiting list. The response has `seatsBeingGiven` while
 * free seats must still be given to waiting lists.
 */
export const freeingSeats = <const S extends 200 | 201 | 202>(
  success: ReturnType<ReturnType<typeof jsonResponse<S>>>,
) => ({
  ...success,
  body: success.body.append({ seatsBeingGiven: Joi.valid(true) }),
  freesSeats: true as const,
});

/** Header with the same meaning as `seatsBeingGiven`. */
export const seatsHeader = 'Seats-Being-Given';

/** Declares a response that sends the browser to another address (RFC 9110, section 15.4.4). */
export const redirect = (description: string) => ({ status: 303, description, redirects: true }) as const;

/** Declares a response that isn't JSON. */
export const streamed = <const C extends string>(description: string, content: C) =>
  ({ status: 200, description, content }) as const;

export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Declares a table as CSV, or as a workbook with the parameter `format` (schemas/table-format.ts). */
export const table = (description: string) =>
  ({ ...streamed(description, 'text/csv'), otherContent: workbookType }) as const;

/** Access rules without parameters. */
export const anybody = { kind: 'public' } as const;
export const signedIn = { kind: 'signed-in' } as const;
export const superAdmin = { kind: 'roles', roles: ['super_admin'] } as const;

/** Maximum JSON bytes of items on large pages, with their longest texts in four bytes per character. */
export const itemBytes = {
  /** 131,000 bytes with all texts at their maximum. */
  course: 135_000,
  /** Includes the course's description, notes and reply. */
  enrollment: 102_000,
  /** A course before and after a change. A request body has at most 100 KiB. */
  auditEntry: 240_000,
  /** 256 cells of 100 characters; more if `IMPORT_MAX_COLUMNS` permits more columns. */
  importRow: 105_000,
} as const;
