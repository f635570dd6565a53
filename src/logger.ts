import { pino } from 'pino';

/** What the program needs of a logger; pino's own type, so that nothing wraps it. */
export type Logger = pino.Logger;

/** Keys whose values never reach a log line, wherever pino is handed an object that has them. */
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

/** An error without what drivers and Sequelize hang on it: SQL text and parameters may hold personal data. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  // Errors of Node and of drivers have one, in whatever form.
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutValues(error.message),
    ...(typeof code === 'string' && { code }),
    stack: withoutValues(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}

/** What database servers say before and after an offending value or a piece of SQL; quotes inside it aren't escaped. */
const quotations = [
  /(Duplicate entry )'.*'(?= for key)/gs,
  /(Incorrect [\w ]+ value: )'.*'(?= for )/gs,
  /((?:Truncated i|I)ncorrect [\w ]+ value: )'.*?'(?=\n {4}at |$)/gs,
  /(Cannot convert string )'.*'(?= from )/gs,
  /(Invalid \w+ character string: )'.*?'(?=\n {4}at |$)/gs,
  /(SQL syntax; .* near )'.*'(?= at line)/gs,
];

/** Database servers quote the offending value ("Duplicate entry 'jane@...'"): the quoted parts are cut out. */
function withoutValues(text: string): string {
  return quotations.reduce((cleaned, quotation) => cleaned.replace(quotation, "$1'…'"), text);
}

/** The arguments of a log call. Where an error is all that is logged, pino would repeat its message as it came. */
function withOwnMessage(args: Parameters<pino.LogFn>): Parameters<pino.LogFn> {
  const [subject] = args as readonly unknown[];
  const error = typeof subject === 'object' && subject !== null && 'err' in subject ? subject.err : subject;
  if (args.length > 1 || !(error instanceof Error)) return args;
  // Pino takes a message after any subject; its type ties the two together.
  return [subject, withoutValues(error.message)] as unknown as Parameters<pino.LogFn>;
}

/**
 * A JSON logger on the given stream (standard error in production: standard output carries data only).
 * @param level a pino level, or `silent`
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
          method.apply(this, withOwnMessage(args));
        },
      },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    stream,
  );
}
