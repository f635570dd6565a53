import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { AppError, systemErrorCode } from '../errors.js';
import {
  attempts,
  checkByMd5,
  createS3Client,
  defaultTimeoutMs,
  limitDownloadStall,
  type S3Settings,
  type Sdk,
  watchProgress,
} from './s3-client.js';
import { isNoSuchKey, isTransient, type S3FaultContext, s3Fault } from './s3-fault.js';
import {
  assertKey,
  type ByteRange,
  checkText,
  type FileStorage,
  isKey,
  type ObjectInfo,
  type StoredObject,
} from './storage.js';

/** Maximum number of keys of DeleteObjects. */
const batchSize = 1000;

const ignore = () => undefined;

const keyPrefix = (prefix: string): string => prefix.replace(/^\/+|\/+$/g, '').replace(/.$/, '$&/');

/** Returns the address of objects in the form `s3://bucket/prefix/`, without the server. */
export const s3Address = ({ bucket, prefix }: Pick<S3Settings, 'bucket' | 'prefix'>): string =>
  `s3://${bucket}/${keyPrefix(prefix)}`;

export function s3Location(settings: Pick<S3Settings, 'bucket' | 'endpoint' | 'prefix'>): string {
  const { endpoint } = settings;
  return `${s3Address(settings)}${endpoint === undefined ? '' : ` at ${new URL(endpoint).origin}`}`;
}

/** Returns the size of the whole object from the range header of a response (RFC 9110, section 14.4). */
function totalBytesOf(contentRange: string | undefined): number | undefined {
  const total = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}

class S3Storage implements FileStorage {
  readonly location: string;
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #faultContext: S3FaultContext;
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  constructor(sdk: Sdk, client: S3Client, settings: S3Settings) {
    const { bucket, prefix, accessKeyId = '', secretAccessKey = '', timeoutMs = defaultTimeoutMs } = settings;
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = keyPrefix(prefix);
    this.#timeoutMs = timeoutMs;
    this.location = s3Location(settings);
    this.#faultContext = { location: this.location, bucket, secrets: [secretAccessKey, accessKeyId] };
  }

  async put(key: string, file: string): Promise<void> {
    assertKey(key);
    try {
      await this.#uploadWithRetries(key, file);
    } catch (error) {
      // The server may have stored the object although its response was lost.
      await this.#deleteOnce(key).catch(ignore);
      throw s3Fault(error, this.#faultContext);
    } finally {
      await rm(file, { force: true });
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const input = { ...this.#objectOf(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) };
    try {
      const { Body, ContentLength, ContentRange } = await this.#withDeadline((options) =>
        this.#client.send(new this.#sdk.GetObjectCommand(input), options),
      );
      // In Node the body is the HTTP response. The SDK's type covers all its platforms.
      const body = Body as IncomingMessage | undefined;
      if (body === undefined || ContentLength === undefined) throw new Error('The response has no body.');
      if (range && ContentLength !== range.end - range.start + 1) {
        body.destroy();
        throw new Error('The response has another length than the requested range.');
      }
      limitDownloadStall(body, this.#timeoutMs);
      return { stream: body, bytes: ContentLength, totalBytes: totalBytesOf(ContentRange) ?? ContentLength };
    } catch (error) {
      if (isNoSuchKey(error)) return undefined;
      throw s3Fault(error, this.#faultContext);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    keys.forEach(assertKey);
    const faults: unknown[] = [];
    for (let start = 0; start < keys.length; start += batchSize)
      faults.push(...(await this.#removeBatch(keys.slice(start, start + batchSize))));
    if (faults.length > 0) throw s3Fault(faults[0], this.#faultContext);
  }

  async *list(kind?: string): AsyncGenerator<ObjectInfo> {
    const input = { Bucket: this.#bucket, Prefix: this.#prefix + (kind === undefined ? '' : `${kind}/`) };
    let next: string | undefined;
    do {
      const from = next === undefined ? {} : { ContinuationToken: next };
      const page = await this.#withDeadline((options) =>
        this.#client.send(new this.#sdk.ListObjectsV2Command({ ...input, ...from }), options),
      ).catch((error: unknown) => {
        throw s3Fault(error, this.#faultContext);
      });
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        const key = Key?.slice(this.#prefix.length) ?? '';
        // The bucket may be shared. Objects with other keys belong to other programs.
        if (isKey(key) && Size !== undefined && LastModified) yield { key, bytes: Size, modifiedAt: LastModified };
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  async load(): Promise<void> {}

  async check(): Promise<void> {
    const key = `check/${randomUUID()}`;
    try {
      await this.#withDeadline((options) =>
        this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#objectOf(key), Body: checkText }), options),
      );
      const stored = await this.open(key);
      const found = stored && (await text(stored.stream));
      await this.remove([key]);
      await this.list().next();
      if (found !== checkText) throw new Error('An object was read back with other content than was written.');
    } catch (error) {
      throw s3Fault(error, this.#faultContext);
    }
  }

  async close(): Promise<void> {
    // Aborts before destroy(), because the client would retry running requests.
    this.#isClosed = true;
    for (const stop of this.#running) stop.abort();
    this.#client.destroy();
  }

  #objectOf(key: string): { Bucket: string; Key: string } {
    assertKey(key);
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  /** Sends a request within a deadline that includes retries. The SDK's own timeout ends when the response begins. */
  async #withDeadline<T>(
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
    ms = this.#timeoutMs * (attempts + 1),
  ): Promise<T> {
    const deadline = this.#trackRequest();
    const timer = setTimeout(() => deadline.abort(), ms);
    try {
      return await send({ abortSignal: deadline.signal });
    } finally {
      clearTimeout(timer);
      this.#running.delete(deadline);
    }
  }

  /** Registers the abort controller of a new request. AbortSignal.any() would leak memory with a long-lived signal. */
  #trackRequest(): AbortController {
    const stop = new AbortController();
    if (this.#isClosed) stop.abort();
    this.#running.add(stop);
    return stop;
  }

  /** Uploads with retries, each with a new stream. The SDK doesn't retry requests with a stream as body. */
  async #uploadWithRetries(key: string, file: string): Promise<void> {
    const { size } = await stat(file);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#upload(key, file, size);
      } catch (error) {
        if (attempt === attempts || !isTransient(error)) throw error;
        await sleep(100 * 2 ** attempt);
      }
    }
  }

  async #upload(key: string, file: string, bytes: number): Promise<void> {
    const stop = this.#trackRequest();
    const stream = createReadStream(file, { end: Math.max(bytes - 1, 0) });
    const stopWatching = watchProgress(
      () => stream.bytesRead,
      this.#timeoutMs,
      () => stop.abort(),
    );
    const failed = new Promise<never>((_, reject) => {
      // Without this listener, the request would wait for the rest of its body.
      stream.once('error', (error) => {
        reject(error);
        stop.abort();
      });
    });
    // No timeout, because the duration depends on the size. watchProgress() detects stalls instead.
    const options = { requestTimeout: 0, abortSignal: stop.signal };
    const input = { ...this.#objectOf(key), Body: bytes === 0 ? '' : stream, ContentLength: bytes };
    try {
      await Promise.race([this.#client.send(new this.#sdk.PutObjectCommand(input), options), failed]);
    } finally {
      stopWatching();
      stream.destroy();
      this.#running.delete(stop);
    }
  }

  async #deleteOnce(key: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#objectOf(key));
    await this.#withDeadline((options) => this.#client.send(command, options), Math.min(this.#timeoutMs, 5000));
  }

  /** Removes a batch of objects. @returns the errors of the batch or of single keys */
  async #removeBatch(keys: readonly string[]): Promise<unknown[]> {
    const Delete = { Objects: keys.map((key) => ({ Key: this.#objectOf(key).Key })), Quiet: true };
    const command = checkByMd5(new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete }));
    try {
      const { Errors = [] } = await this.#withDeadline((options) => this.#client.send(command, options));
      return Errors.filter((error) => !isNoSuchKey(error));
    } catch (error) {
      return [error];
    }
  }
}

/**
 * Opens a bucket of S3 or a compatible server. The SDK is loaded only here.
 * @throws AppError `STORAGE_UNAVAILABLE` if the SDK isn't installed
 */
export async function createS3Storage(settings: S3Settings): Promise<FileStorage> {
  const sdk = await import('@aws-sdk/client-s3').catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message =
      'FILE_STORAGE=s3 needs the package @aws-sdk/client-s3. Run: npm install --global @aws-sdk/client-s3@3, or in a checkout: npm ci';
    throw new AppError('STORAGE_UNAVAILABLE', message, { cause: error });
  });
  return new S3Storage(sdk, createS3Client(sdk, settings), settings);
}
