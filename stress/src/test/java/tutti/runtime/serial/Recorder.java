package tutti.runtime.serial;

import tutti.runtime.model.MpiFailure;

/** Serial executor whose items record their numbers in a plain field: only the executor orders their accesses. */
final class Recorder extends SerialExecutor {
    /** The numbers of the items that ran, as decimal digits in the order of running. */
    int trace;

    /** Work item that records its number, and in a subclass does something more. */
    static class Item extends WorkItem {
        private final int number;

        Item(final int number) {
            this.number = number;
        }

        @Override
        protected void run(final SerialExecutor at) {
            final Recorder recorder = (Recorder) at;
            recorder.trace = 10 * recorder.trace + number;
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }
}
