package tutti.runtime.lifecycle;

import tutti.runtime.match.Mailbox;

/** Polls for messages to one rank: the queues of short messages of its node, and the links to other nodes. Safe for any thread. */
public final class RankPolling implements MessagePolling {
    private final Mailbox mailbox;
    private final MessagePolling links;

    /** Creates the polling of the rank that receives by a mailbox. */
    public RankPolling(final Mailbox mailbox, final MessagePolling links) {
        this.mailbox = mailbox;
        this.links = links;
    }

    @Override
    public boolean hasLinks() {
        return links.hasLinks();
    }

    @Override
    public void begin() {
        links.begin();
    }

    @Override
    public boolean poll() {
        return mailbox.pollQueues() | links.poll();
    }

    @Override
    public boolean pollMemory() {
        return links.pollMemory();
    }

    @Override
    public void end() {
        links.end();
    }

    @Override
    public void parking() {
        mailbox.parking();
        links.parking();
    }

    @Override
    public void unparked() {
        links.unparked();
        mailbox.unparked();
    }
}
