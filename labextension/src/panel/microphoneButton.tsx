// Microphone button of the prompt box, to hold or to press.

import * as React from 'react';
import { Button } from '../button';
import { microphoneIcon } from '../icons';
import { t } from '../translation';
import type { VoiceModel } from '../voice/voiceModel';

/** Milliseconds of a press that holds: letting go ends it. */
const HELD = 400;

export function MicrophoneButton({ voice, local, disabled }: { voice: VoiceModel; local: boolean; disabled: boolean }): React.JSX.Element | null {
  const pressedAt = React.useRef(0);
  const [, render] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    voice.changed.connect(render);
    return () => {
      voice.changed.disconnect(render);
      voice.leave();
    };
  }, [voice]);
  React.useEffect(() => {
    if (!voice.available) {
      voice.leave(); // it was switched off
    }
  });
  if (!voice.available) {
    return null;
  }
  const toggle = () => {
    if (voice.listening) {
      voice.finish();
    } else if (!disabled) {
      pressedAt.current = Date.now();
      void voice.start();
    }
  };
  const press = (event: React.SyntheticEvent) => {
    event.preventDefault(); // Space and Enter do not click
    toggle();
  };
  const release = () => {
    if (Date.now() - pressedAt.current > HELD) {
      voice.finish();
    }
  };
  const isSpace = (event: React.KeyboardEvent) => event.key === ' ' && !event.repeat;
  return (
    <span
      className="spark-Microphone"
      data-held=""
      onMouseDown={event => event.preventDefault()} // the prompt box keeps the focus
      onPointerDown={event => {
        if (event.button !== 0) {
          return;
        }
        press(event);
        window.addEventListener('pointerup', release, { once: true });
      }}
      onKeyDown={event => {
        if (isSpace(event) || (event.key === 'Enter' && !event.repeat)) {
          press(event);
        }
      }}
      onClick={event => event.detail === 0 && toggle()} // by a program that reads or listens for the person
      onKeyUp={event => {
        if (isSpace(event)) {
          event.preventDefault();
          release();
        }
      }}
    >
      <Button
        label={voice.listening ? t('Stop listening') : t('Speak')}
        title={voice.problem || (local ? t('Hold it while you speak, or press it to start and again to stop. The sound stays with your Jupyter server.') : t('Hold it while you speak, or press it to start and again to stop. Your browser may send the sound to its maker.'))}
        icon={microphoneIcon}
        iconOnly
        pressed={voice.listening}
        disabled={disabled && !voice.listening}
      />
    </span>
  );
}
