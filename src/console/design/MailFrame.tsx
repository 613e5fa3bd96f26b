import { useEffect, useRef, useState } from 'react';
import './MailFrame.css';

/** Shows the HTML of a mail in a page of its own origin, where no script of it runs. */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    // The frame has an opaque origin, so that none can be named here; it checks ours.
    if (isReady) frame.current?.contentWindow?.postMessage(html, '*');
  }, [html, isReady]);
  return (
    <iframe
      ref={frame}
      className="mail-frame"
      src="/console/mail-frame"
      sandbox="allow-scripts"
      title={title}
      onLoad={() => setReady(true)}
    />
  );
}
