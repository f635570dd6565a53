import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { missingCodeText } from './messages.js';
import { useMissingCodeReason, useOnline } from './missing-code.js';
import { Failed, Loading } from './states.js';

/** Scrolls to an element, because a lazy dialog is rendered at the end of its page. */
const scrollToElement = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

interface NotLoadedProps {
  /** Loads the code again. */
  onRetry(): void;
  /** Whether to scroll to the message. */
  unseen: boolean;
}

/**
 * Says why code could not be loaded. Without a connection it is loaded again on request, and when the device is online again.
 * For other reasons the button reloads the window: after an update, the service no longer has the code of the old version.
 */
function NotLoaded({ onRetry, unseen }: NotLoadedProps) {
  const { t } = useTranslation();
  const reason = useMissingCodeReason();
  useOnline(reason === 'offline', onRetry);
  if (!reason) return <Loading lines={2} />;
  return (
    <div ref={unseen ? scrollToElement : undefined}>
      <Failed
        error={new Error(missingCodeText(reason, t))}
        {...(reason === 'offline'
          ? { onRetry }
          : { onRetry: () => window.location.reload(), action: t('action.reload') })}
      />
    </div>
  );
}

type Loaded<Props> = { component?: ComponentType<Props> | undefined; failed: boolean };

export interface LazyPart<Props> {
  (props: Props): ReactNode;
  /** Loads the code in advance; a failure is reported when the component is shown. */
  preload(): void;
}

/**
 * Component whose code is loaded when it is first shown. If that fails, it shows the reason and a button to try again.
 * @param placeholder shown while the code loads
 * @param Fallback shown below the error: a simpler form of the component
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = null,
  Fallback?: ComponentType<Props>,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;

  async function loadOnce(): Promise<ComponentType<Props>> {
    loading ??= load();
    try {
      loaded = await loading;
      return loaded;
    } finally {
      loading = undefined;
    }
  }

  function LazyPart(props: Props) {
    const [{ component: Component, failed }, setState] = useState<Loaded<Props>>({ component: loaded, failed: false });
    const [attempts, setAttempts] = useState(0);
    // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each attempt
    useEffect(() => {
      if (Component) return undefined;
      let shown = true;
      loadOnce().then(
        (component) => shown && setState({ component, failed: false }),
        (error: unknown) => {
          reportError(error);
          if (shown) setState({ failed: true });
        },
      );
      return () => {
        shown = false;
      };
    }, [Component, attempts]);
    function retry(): void {
      setState({ failed: false });
      setAttempts(attempts + 1);
    }
    if (failed)
      return (
        <>
          <NotLoaded onRetry={retry} unseen={!Fallback} />
          {Fallback && <Fallback {...props} />}
        </>
      );
    return Component ? <Component {...props} /> : placeholder;
  }
  // After a failure, the component itself loads the code again and reports the error.
  return Object.assign(LazyPart, { preload: () => void loadOnce().catch(() => undefined) });
}

/**
 * Dialog whose code is loaded when it first opens.
 * @param key property that opens the dialog; false or undefined closes it
 */
export function lazyDialog<Props extends object, Key extends keyof Props>(
  load: () => Promise<ComponentType<Props>>,
  key: Key,
) {
  const Part = lazyPart<Props>(async () => {
    const Dialog = await load();
    // Renders closed at first: the dialog returns the focus only if it was rendered before it opened.
    return function OpenedDialog(props: Props) {
      const [mounted, setMounted] = useState(false);
      useEffect(() => setMounted(true), []);
      return <Dialog {...props} {...(!mounted && { [key]: typeof props[key] === 'boolean' ? false : undefined })} />;
    };
  });
  function LazyDialog(props: Props) {
    const opened = props[key] !== undefined && props[key] !== false;
    const [wanted, setWanted] = useState(opened);
    if (opened && !wanted) setWanted(true);
    return wanted && <Part {...props} />;
  }
  return Object.assign(LazyDialog, { preload: Part.preload });
}
