import type { Operations } from '../../../examples/api-types.js';
import { operations } from './operations.js';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['response'];

/** The same where an optional field may be given as undefined, which is as good as absent. */
type MaybeAbsent<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

type Part<T, Name extends string> = Name extends keyof T
  ? T extends Record<Name, unknown>
    ? { [K in Name]: MaybeAbsent<T[Name]> }
    : { [K in Name]?: MaybeAbsent<Exclude<T[Name], undefined>> | undefined }
  : unknown;

/** What an operation is called with: its path and query parameters, and its body. */
export type Input<Id extends OperationId> = Part<Operations[Id]['parameters'], 'path'> &
  Part<Operations[Id]['parameters'], 'query'> &
  (undefined extends Operations[Id]['body'] ? { body?: Operations[Id]['body'] } : { body: Operations[Id]['body'] });

/** The fields of {@link Input}, whatever the operation. */
interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A field that the service refused. */
export interface FieldProblem {
  path: string;
  msg: string;
}

/** An answer that isn't a success, or none at all (`status` 0). */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | undefined,
    readonly problems: readonly FieldProblem[],
    /** Seconds to wait before retrying, when the service says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** Told of every answer that says that there is no session (any more). */
let onSignedOut: () => void = () => undefined;

/** Sets what happens when the service doesn't know the session. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** The address of an operation, for links and event streams. */
export function addressOf<Id extends OperationId>(id: Id, input: Omit<Input<Id>, 'body'>): string {
  const { path = {}, query = {} } = input as AnyInput;
  const address = operations[id].path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== '') search.append(name, String(one));
  const text = search.toString();
  return text === '' ? address : `${address}?${text}`;
}

function formOf(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat())
      if (one instanceof Blob) form.append(name, one);
      else if (one !== undefined) form.append(name, String(one));
  return form;
}

function requestOf(id: OperationId, input: AnyInput): RequestInit {
  const { method, ...transport } = operations[id];
  // The service takes a cookie for changes only with a header that pages of other origins can't send.
  const headers: Record<string, string> = { 'X-Requested-With': 'coursectl' };
  const sends = 'sends' in transport ? transport.sends : undefined;
  if (sends === undefined) return { method, headers };
  if (sends === 'form') return { method, headers, body: formOf((input.body ?? {}) as object) };
  return {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input.body ?? {}),
  };
}

async function failureOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: string;
    code?: string;
    errors?: FieldProblem[];
  };
  const problems = body.errors ?? [];
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const message = body.error ?? problems.map(({ msg }) => msg).join(' ');
  return new ApiError(
    response.status,
    message === '' ? `HTTP ${response.status}` : message,
    body.code,
    problems,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

/**
 * Calls an operation of the API by its id.
 * @throws ApiError for every answer that isn't a success, and with status 0 when there is no answer
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  let response: Response;
  try {
    response = await fetch(addressOf(id, input), {
      ...requestOf(id, input as AnyInput),
      credentials: 'same-origin',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, error instanceof Error ? error.message : '', 'NETWORK', [], undefined);
  }
  if (!response.ok) {
    const failure = await failureOf(response);
    if (response.status === 401 && !signInOperations.has(id)) onSignedOut();
    throw failure;
  }
  const transport = operations[id];
  const answers = 'answers' in transport ? transport.answers : 'json';
  // The document describes each answer; `fetch` knows nothing of it.
  if (answers === 'text') return (await response.text()) as Answer<Id>;
  if (answers === 'blob') return (await response.blob()) as Answer<Id>;
  return (await response.json()) as Answer<Id>;
}

/** Their 401 says that the password is wrong or that there is no session yet, not that one has ended. */
const signInOperations: ReadonlySet<OperationId> = new Set(['startWebSession', 'showWebSession', 'endWebSession']);
