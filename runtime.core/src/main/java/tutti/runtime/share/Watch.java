package tutti.runtime.share;

import tutti.runtime.match.Item;
import tutti.runtime.match.Serial;

/** Waits at the row of another rank until that rank goes on; then its run looks again. At one row at a time. */
public abstract class Watch extends Item {
    private final Serial home;
    Watch below;

    /** Of a run that belongs to that mailbox. */
    protected Watch(final Serial home) {
        this.home = home;
    }

    final void wake() {
        home.submit(this);
    }
}
