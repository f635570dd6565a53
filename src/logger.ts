import { pino } from 'pino';

export type Logger = pino.Logger;

/** Keys whose values pino redacts in logged objects. */
const secretKeys = [
  'password',
  'newPassword',
  'currentPassword',
  'temporaryPassword',
  'passwordHash',
  'token',
  'authorization',
  'jwtSecret',
  'jwtSecretPrevious',
  'cookie',
];

/**
 * Returns an error for the log, without the SQL text and parameters that drivers and Sequelize add. These may contain
 * personal data.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  // The type of `code` differs between Node and drivers.
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutValues(error.message),
    ...(typeof code === 'string' && { code }),
    stack: withoutValues(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}

/** Match messages in which database servers quote a value or SQL text. Servers don't escape quotes in the quoted text. */
const quotations = [
  /(Duplicate entry )'.*'(?= for key)/gs,
  /(Incorrect [\w ]+ value: )'.*'(?= for )/gs,
  /((?:Truncated i|I)ncorrect [\w ]+ value: )'.*?'(?=\n {4}at |$)/gs,
  /(Cannot convert string )'.*'(?= from )/gs,
  /(Invalid \w+ character string: )'.*?'(?=\n {4}at |$)/gs,
  /(SQL syntax; .* near )'.*'(?= at line)/gs,
];

/** Removes the values that database servers quote ("Duplicate entry 'jane@...'"). */
function withoutValues(text: string): string {
  return quotations.reduce((cleaned, quotation) => cleaned.replace(quotation, "$1'…'"), text);
}

/** Adds a clean message if the only argument is an error. Otherwise pino would log the message of the error unchanged. */
function withCleanMessage(args: Parameters<pino.LogFn>): Parameters<pino.LogFn> {
  const [subject] = args as readonly unknown[];
  const error = typeof subject === 'object' && subject !== null && 'err' in subject ? subject.err : subject;
  if (args.length > 1 || !(error instanceof Error)) return args;
  // Pino accepts a message after any first argument, but its type doesn't.
  return [subject, withoutValues(error.message)] as unknown as Parameters<pino.LogFn>;
}

/**
 * Creates a JSON logger.
 * @param level a pino level, or `silent`
 * @param stream standard error in production, because standard output carries only data
 */
export function createLogger(level: string, stream: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      hooks: {
        logMethod(args, method) {
          method.apply(this, withCleanMessage(args));
        },
      },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    stream,
  );
}
