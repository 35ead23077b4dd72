package tutti.runtime.schedule;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Item;
import tutti.runtime.match.Serial;

/** Has a run look after its awaits; submitted or tried. */
final class Look extends Item {
    private final Sharing sharing;
    private final Run run;
    /** Whether it is in the inbox of the mailbox. */
    volatile boolean submitted;

    Look(final Run run, final Sharing sharing) {
        this.run = run;
        this.sharing = sharing;
    }

    @Override
    protected void run(final Serial at) {
        if (submitted) {
            submitted = false;
        }
        sharing.look();
    }

    @Override
    protected void broke(final MpiFailure why) {
        run.broke(why);
    }
}
