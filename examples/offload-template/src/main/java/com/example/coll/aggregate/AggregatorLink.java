package com.example.coll.aggregate;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OffloadedTask;

/**
 * A rank's link to the device: sends the rank's parts of collectives, and writes their results into memory.
 *
 * <p><b>Threads.</b> One connects and sends, one receives; both start with the first part and end when the link is closed. A start only queues its
 * part. The lock of this object guards the state.
 */
final class AggregatorLink implements OffloadDevice {
    private final int rank;
    private final Aggregator.Address address;
    private final BlockingQueue<OffloadedTask> unsent = new LinkedBlockingQueue<>();
    /** The parts whose results have not arrived, by number. */
    private final Map<Long, OffloadedTask> pending = new ConcurrentHashMap<>();
    private Thread sender;
    private Socket socket;
    private IOException lost;

    AggregatorLink(final int rank, final Aggregator.Address address) {
        this.rank = rank;
        this.address = address;
    }

    @Override
    public String name() {
        return "Aggregator";
    }

    @Override
    public synchronized void start(final OffloadedTask task) throws IOException {
        if (lost != null) {
            throw new IOException("the device does not answer", lost);
        }
        pending.put(task.number(), task);
        unsent.add(task);
        if (sender == null) {
            sender = Thread.ofVirtual().name("aggregator-send").start(this::send);
        }
    }

    /** Forgets the part: its result is dropped when it arrives. */
    @Override
    public void cancel(final OffloadedTask task) {
        pending.remove(task.number());
    }

    private void send() {
        try {
            final Socket connected = connect();
            final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(connected.getOutputStream()));
            out.writeInt(rank);
            Thread.ofVirtual().name("aggregator-receive").start(() -> receive(connected));
            while (true) {
                final OffloadedTask task = unsent.take();
                final Arithmetic arithmetic = task.call().reduction() == null ? null : Arithmetic.of(task.call().reduction());
                final MemorySegment own = task.call().inPlace() ? task.recv() : task.send();
                out.writeLong(task.number());
                out.writeByte(arithmetic == null ? -1 : arithmetic.operation().ordinal());
                out.writeByte(arithmetic == null ? -1 : arithmetic.type().ordinal());
                out.writeInt((int) own.byteSize());
                out.write(own.toArray(ValueLayout.JAVA_BYTE));
                if (unsent.isEmpty()) {
                    out.flush();
                }
            }
        } catch (final IOException e) {
            lose(e);
        } catch (final InterruptedException e) {
            lose(new IOException("the link was closed", e));
        }
    }

    private Socket connect() throws IOException {
        final Socket connected = new Socket(address.host(), address.port());
        connected.setTcpNoDelay(true);
        synchronized (this) {
            if (lost == null) {
                socket = connected;
                return connected;
            }
        }
        connected.close();
        throw new IOException("the link was closed");
    }

    private void receive(final Socket connected) {
        try {
            final DataInputStream in = new DataInputStream(connected.getInputStream());
            while (true) {
                final long number = in.readLong();
                final byte[] result = new byte[in.readInt()];
                in.readFully(result);
                final OffloadedTask task = pending.remove(number);
                if (task != null) {
                    MemorySegment.copy(result, 0, task.recv(), ValueLayout.JAVA_BYTE, 0, result.length);
                    task.complete();
                }
            }
        } catch (final IOException e) {
            lose(e);
        }
    }

    /** Fails the parts whose results will not arrive. */
    private void lose(final IOException why) {
        final Queue<OffloadedTask> failed = new LinkedBlockingQueue<>();
        synchronized (this) {
            if (lost == null) {
                lost = why;
            }
            failed.addAll(pending.values());
            pending.clear();
        }
        failed.forEach(t -> t.fail(why));
    }

    /** Ends the link and its threads. */
    void close() {
        lose(new IOException("the link was closed"));
        synchronized (this) {
            if (sender != null) {
                sender.interrupt();
            }
            if (socket != null) {
                try {
                    socket.close();
                } catch (final IOException e) {
                    throw new IllegalStateException("cannot close the link", e);
                }
            }
        }
    }
}
