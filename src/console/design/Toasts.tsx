import { createContext, useCallback, useContext, useRef, useState, type ReactNode } from 'react';
import './Toasts.css';

interface Toast {
  id: number;
  text: string;
}

const ToastContext = createContext<(text: string) => void>(() => undefined);
const shownMs = 5000;

/** Shows short messages at the edge of the window, and reads them aloud. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const count = useRef(0);
  const show = useCallback((text: string) => {
    const id = ++count.current;
    setToasts((before) => [...before.slice(-2), { id, text }]);
    setTimeout(() => setToasts((before) => before.filter((toast) => toast.id !== id)), shownMs);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text }) => (
          <div key={id} className="toast">
            {text}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** Returns a function that shows a message: what has just been done. */
export const useToast = (): ((text: string) => void) => useContext(ToastContext);
