import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { ApiError, call, type ResponseBody, setSignedOutListener } from '../api/client.js';
import type { Language } from '../i18n/i18n.js';
import { confirmLeaving } from '../ui/forms/guards.js';

export type Session = ResponseBody<'showWebSession'>;
export type SessionUser = Session['user'];
export type Role = SessionUser['role'];

type SessionState =
  | { kind: 'loading' }
  | { kind: 'failed'; error: ApiError; retry(): void }
  | { kind: 'signedOut' }
  /** The session ended while a page was open. The page stays, covered by a dialog to sign in again. */
  | { kind: 'ended'; session: Session }
  | { kind: 'signedIn'; session: Session };

interface SessionContext {
  state: SessionState;
  /** @throws ApiError */
  signIn(credentials: { identifier: string; password: string }): Promise<void>;
  /** Fetches the session and all shown data again, after a change of the account. @throws ApiError */
  refresh(): Promise<void>;
  /** Fetches only the session; null if it has ended. @throws ApiError */
  reread(): Promise<Session | null>;
  signOut(): Promise<void>;
}

const Context = createContext<SessionContext | undefined>(undefined);

/** Sent to other tabs of this browser when their shared cookie changes. */
type TabMessage = { type: 'signedOut' } | { type: 'signedIn'; userId: string };

const sessionKey = ['session'] as const;

/** Key in `localStorage`, set while this browser is signed in: scripts can't read the cookie itself. */
const signedInKey = 'coursectl-signed-in';

export const mayBeSignedIn = (): boolean => localStorage.getItem(signedInKey) !== null;

/** Notes that the browser leaves for the organisation's sign-in, and may return with a session. */
export const noteBegunSignIn = (): void => localStorage.setItem(signedInKey, String(Date.now()));

/** Whether the organisation's sign-in may still be open in a tab: the service accepts its answer for 10 minutes. */
const isSignInBegun = (): boolean => Date.now() - Number(localStorage.getItem(signedInKey)) < 10 * 60_000;

export function forgetBegunSignIn(): void {
  if (isSignInBegun()) localStorage.removeItem(signedInKey);
}

async function currentSession(): Promise<Session | null> {
  if (!mayBeSignedIn()) return null;
  try {
    return await call('showWebSession', {});
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    if (!isSignInBegun()) localStorage.removeItem(signedInKey);
    return null;
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const channel = useMemo(() => new BroadcastChannel('coursectl-session'), []);
  const [lastSession, setLastSession] = useState<Session>();
  const [ended, setEnded] = useState(false);
  /** Whether the user has signed out, here or in another tab, or another account has signed in. */
  const [leaving, setLeaving] = useState(false);
  /** URL to open after signing out. */
  const [nextUrl, setNextUrl] = useState('/');
  const query = useQuery<Session | null, ApiError>({
    queryKey: sessionKey,
    queryFn: currentSession,
    // Fetched again when the user returns to the tab: the session may have ended elsewhere.
    staleTime: 30_000,
  });
  const session = query.data ?? undefined;
  /** Whether to load the window again: the next account must see neither data nor the URL of the previous account. */
  const isLeaving =
    leaving || (session !== undefined && lastSession !== undefined && session.user.id !== lastSession.user.id);

  useEffect(() => {
    // The pages are unmounted by now, so no form asks about unsaved changes.
    if (isLeaving) window.location.replace(nextUrl);
    else if (session) setLastSession(session);
  }, [isLeaving, nextUrl, session]);

  useEffect(() => {
    // The organisation's sign-in has led back with a session. Another tab may wait for it.
    if (!session || !isSignInBegun()) return;
    localStorage.setItem(signedInKey, 'yes');
    channel.postMessage({ type: 'signedIn', userId: session.user.id } satisfies TabMessage);
    setFirstMailLanguage().catch(reportError);
  }, [channel, session]);

  useEffect(() => {
    setSignedOutListener(() => setEnded(true));
  }, []);

  useEffect(() => {
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      // A tab that isn't signed in keeps its URL, which opens after the sign-in.
      if (data.type === 'signedOut') setLeaving(lastSession !== undefined);
      else if (lastSession && lastSession.user.id !== data.userId) setLeaving(true);
      else {
        setEnded(false);
        void client.invalidateQueries();
      }
    };
  }, [channel, client, lastSession]);

  const refresh = useCallback(async () => {
    const next = await currentSession();
    if (next) channel.postMessage({ type: 'signedIn', userId: next.user.id } satisfies TabMessage);
    if (next && lastSession && next.user.id !== lastSession.user.id) return setLeaving(true);
    client.setQueryData(sessionKey, next);
    setEnded(false);
    // Until the password is changed, the service refuses all other requests.
    if (next?.requiresPasswordChange) return;
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  }, [channel, client, lastSession]);

  const reread = useCallback(
    () => client.fetchQuery({ queryKey: sessionKey, queryFn: currentSession, staleTime: 0 }),
    [client],
  );

  const signIn = useCallback<SessionContext['signIn']>(
    async (body) => {
      await call('startWebSession', { body });
      localStorage.setItem(signedInKey, 'yes');
      await refresh();
      setFirstMailLanguage().catch(reportError);
    },
    [refresh],
  );

  const signOut = useCallback(async () => {
    const { signOutUrl } = await call('endWebSession', {});
    localStorage.removeItem(signedInKey);
    channel.postMessage({ type: 'signedOut' } satisfies TabMessage);
    if (signOutUrl !== null) setNextUrl(signOutUrl);
    setLeaving(true);
  }, [channel]);

  const state = useMemo<SessionState>(() => {
    // The window is about to reload.
    if (isLeaving) return { kind: 'loading' };
    if ((ended || query.data === null) && lastSession) return { kind: 'ended', session: lastSession };
    if (session) return { kind: 'signedIn', session };
    if (query.isPending) return { kind: 'loading' };
    if (query.error) return { kind: 'failed', error: query.error, retry: () => void query.refetch() };
    return { kind: 'signedOut' };
  }, [ended, isLeaving, lastSession, query.data, query.error, query.isPending, query.refetch, session]);

  const value = useMemo(() => ({ state, signIn, refresh, reread, signOut }), [state, signIn, refresh, reread, signOut]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useSession(): SessionContext {
  const session = useContext(Context);
  if (!session) throw new Error('useSession() needs a SessionProvider around it.');
  return session;
}

/** Signs out, unless the user chooses to keep unsaved changes; `error` says why it failed. */
export function useSignOut() {
  const { signOut } = useSession();
  return useMutation({
    mutationFn: async () => {
      if (await confirmLeaving()) await signOut();
    },
  });
}

function useOpenSession(): Session {
  const { state } = useSession();
  if (state.kind !== 'signedIn' && state.kind !== 'ended') throw new Error('There is no session.');
  return state.session;
}

/** Signed-in user, for pages behind the session gate. */
export const useUser = (): SessionUser => useOpenSession().user;

/** How the session began: with a password, or with the organisation's account. */
export const useMethod = (): Session['method'] => useOpenSession().method;

/** Today as `YYYY-MM-DD` in the programme's time zone, which may differ from the browser's. */
export const useToday = (): string => useOpenSession().today;

/** Sets the language of mails to that of the page, unless the person has chosen one. @throws ApiError */
async function setFirstMailLanguage(): Promise<void> {
  const [mail, chosen] = await Promise.all([call('showForgotPassword', {}), call('showMailPreferences', {})]);
  // `changeLanguage` sets no other languages.
  const language = i18next.language as Language;
  if (!mail.available || chosen.language !== null || language === 'ar-XB') return;
  await call('changeMailPreferences', { body: { language } });
}
