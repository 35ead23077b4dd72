package tutti.runtime.collective;

/**
 * The modules of a communicator that is being duplicated. A duplication counts as a call, so that all ranks find the same modules, and these stay
 * until it ends.
 */
public final class DuplicatedModules {
    private final Epoch epoch;

    DuplicatedModules(final Epoch epoch) {
        this.epoch = epoch;
    }

    /** Returns whether the modules also serve duplicates of the communicator, so that these select none. Equal on all ranks. */
    public boolean serveDuplicates() {
        return epoch.table().servesDuplicates();
    }

    /** Returns the number of context ids that a duplicate needs for its hidden communicators. */
    public int hiddenContexts() {
        return epoch.table().splits();
    }

    CollTable table() {
        return epoch.table();
    }

    /** Ends the duplication, successful or not. Called once. */
    public void release() {
        epoch.cache().skip();
    }
}
