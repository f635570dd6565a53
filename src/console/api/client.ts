import type { ErrorCode, ErrorParams, Operations, ValidationError } from '../../../examples/api-types.js';
import { operations } from './operations.js';

export type OperationId = keyof Operations;
export type ResponseBody<Id extends OperationId> = Operations[Id]['response'];

/** Allows undefined for optional fields, which is as good as absent. */
type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

type InputPart<T, Name extends string> = Name extends keyof T
  ? T extends Record<Name, unknown>
    ? { [K in Name]: AllowUndefined<T[Name]> }
    : { [K in Name]?: AllowUndefined<Exclude<T[Name], undefined>> | undefined }
  : unknown;

/** What an operation is called with: its path and query parameters, and its body. */
export type Input<Id extends OperationId> = InputPart<Operations[Id]['parameters'], 'path'> &
  InputPart<Operations[Id]['parameters'], 'query'> &
  (undefined extends Operations[Id]['body'] ? { body?: Operations[Id]['body'] } : { body: Operations[Id]['body'] });

/** The fields of {@link Input}, whatever the operation. */
interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A field that the service refused. */
export type FieldProblem = ValidationError['errors'][number];

/** Why a response isn't a success. */
export interface Refusal {
  /** Absent where something between the browser and the service has answered. */
  code?: ErrorCode | undefined;
  params?: ErrorParams | undefined;
}

interface ErrorDetails extends Refusal {
  problems?: readonly FieldProblem[] | undefined;
  /** Seconds to wait before retrying, when the service says so. */
  retryAfter?: number | undefined;
}

/** A response that isn't a success, or none at all (`status` 0). */
export class ApiError extends Error implements Refusal {
  override name = 'ApiError';
  readonly code: ErrorCode | undefined;
  readonly params: ErrorParams;
  readonly problems: readonly FieldProblem[];
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    { code, params = {}, problems = [], retryAfter }: ErrorDetails = {},
  ) {
    super(code ?? `HTTP ${status}`);
    this.code = code;
    this.params = params;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** The session has ended: the form to sign in again says so. */
export class SessionEndedError extends ApiError {}

/** Told of every response that says that there is no session (any more). */
let onSignedOut: () => void = () => undefined;

/** Sets what happens when the service doesn't know the session. */
export function setSignedOutListener(listener: () => void): void {
  onSignedOut = listener;
}

/** The address of an operation, for links and event streams. */
export function urlOf<Id extends OperationId>(id: Id, input: Omit<Input<Id>, 'body'>): string {
  // Every input has these fields at most.
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

function toFormData(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat())
      if (one instanceof Blob) form.append(name, one);
      else if (one !== undefined) form.append(name, String(one));
  return form;
}

function buildRequest(id: OperationId, input: AnyInput): RequestInit {
  const { method, ...transport } = operations[id];
  // The service takes a cookie for changes only with a header that pages of other origins can't send.
  const headers: Record<string, string> = { 'X-Requested-With': 'coursectl' };
  const sends = 'sends' in transport ? transport.sends : undefined;
  if (sends === undefined) return { method, headers };
  // Operations that take a form have an object as body.
  if (sends === 'form') return { method, headers, body: toFormData((input.body ?? {}) as object) };
  return {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input.body ?? {}),
  };
}

/** What the body of a response that isn't a success says, besides sentences. */
interface ErrorBody {
  params?: ErrorParams;
  errors?: FieldProblem[];
}

/** @param headerOf gives a header of the response */
function toApiError(
  id: OperationId,
  status: number,
  { params, errors }: ErrorBody,
  headerOf: (name: string) => string | null,
): ApiError {
  const retryAfter = Number(headerOf('Retry-After') ?? Number.NaN);
  const ErrorClass = status === 401 && !signInOperations.has(id) ? SessionEndedError : ApiError;
  return new ErrorClass(status, {
    // The document lists the codes; a service of another version may have others, for which there are general words.
    code: (headerOf('Error-Code') ?? undefined) as ErrorCode | undefined,
    params,
    problems: errors,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

const noResponse = () => new ApiError(0);

/** @throws ApiError for every response that isn't a success, and with status 0 when there is no response */
async function send<Id extends OperationId>(id: Id, input: Input<Id>, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(urlOf(id, input), {
      // As above.
      ...buildRequest(id, input as AnyInput),
      credentials: 'same-origin',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw noResponse();
  }
  if (!response.ok) {
    // What stands between the browser and the service may answer with something else than JSON.
    const body = (await response.json().catch(() => ({}))) as ErrorBody;
    const failure = toApiError(id, response.status, body, (name) => response.headers.get(name));
    if (failure instanceof SessionEndedError) onSignedOut();
    throw failure;
  }
  return response;
}

/**
 * Calls an operation of the API by its id.
 * @throws ApiError for every response that isn't a success, and with status 0 when there is no response
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  signal?: AbortSignal,
): Promise<ResponseBody<Id>> {
  const response = await send(id, input, signal);
  const transport = operations[id];
  const responses = 'response' in transport ? transport.response : 'json';
  // The document describes each response; `fetch` knows nothing of it.
  if (responses === 'text') return (await response.text()) as ResponseBody<Id>;
  if (responses === 'blob') return (await response.blob()) as ResponseBody<Id>;
  return (await response.json()) as ResponseBody<Id>;
}

/**
 * The bytes of a response as they came, in whatever encoding: for files that the service gives once, where the page has to
 * know whether they arrived.
 * @throws ApiError as {@link call}
 */
export async function callForBlob<Id extends OperationId>(id: Id, input: Input<Id>): Promise<Blob> {
  const response = await send(id, input);
  try {
    return await response.blob();
  } catch {
    throw noResponse();
  }
}

/** Their 401 says that the password is wrong or that there is no session yet, not that one has ended. */
const signInOperations: ReadonlySet<OperationId> = new Set(['startWebSession', 'showWebSession', 'endWebSession']);

interface UploadOptions {
  /** Told how much of the request has been sent, from 0 to 1. */
  onProgress(share: number): void;
  signal?: AbortSignal;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Calls an operation that takes a form, and tells how much of it is sent, which `fetch` can't.
 * @throws ApiError as {@link call}; the signal's reason once it is aborted
 */
export function upload<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  { onProgress, signal }: UploadOptions,
): Promise<ResponseBody<Id>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal?.addEventListener('abort', abort);
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onabort = () => reject(signal?.reason ?? new DOMException('', 'AbortError'));
    request.onerror = () => reject(noResponse());
    request.onload = () => {
      const body = parseJson(request.responseText);
      // The document describes each response.
      if (request.status < 400) return resolve(body as ResponseBody<Id>);
      const failure = toApiError(id, request.status, body as ErrorBody, (name) => request.getResponseHeader(name));
      if (failure instanceof SessionEndedError) onSignedOut();
      reject(failure);
    };
    const { method } = operations[id];
    request.open(method, urlOf(id, input));
    request.setRequestHeader('X-Requested-With', 'coursectl');
    // Uploads are forms: as above.
    request.send(toFormData(((input as AnyInput).body ?? {}) as object));
  });
}
