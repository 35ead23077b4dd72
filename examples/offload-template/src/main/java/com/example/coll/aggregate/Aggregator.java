package com.example.coll.aggregate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stand-in for a device that combines the contributions of ranks: a server with a connection for each rank. A contribution is the number of the
 * collective, its arithmetic and data; when those of all ranks are there, the result is sent to all. Data is in the byte order of the ranks' memory,
 * which is that of this rank.
 *
 * <pre>
 * rank to device: int rank | then for each contribution: long number | byte operation, -1 for none | byte type | int bytes | data
 * device to rank: for each result: long number | int bytes | data
 * </pre>
 *
 * <p><b>Threads.</b> One accepts connections, one reads from each. The lock of this object guards the contributions and the connections; results are
 * sent under it, so they have one order.
 */
final class Aggregator {
    private final ServerSocket server;
    private final Address address;
    private final int ranks;
    private final int breakdown;
    private final List<Socket> connections = new ArrayList<>();
    private final DataOutputStream[] outputs;
    private final Map<Long, ByteBuffer[]> contributions = new HashMap<>();
    private int collectives;

    /** The address at which the device serves. */
    record Address(String host, int port) {}

    /** Starts the device for that number of ranks; {@code breakdown} is the number of the collective at which it breaks down, 0 for none. */
    Aggregator(final String host, final int ranks, final int breakdown) throws IOException {
        this.server = new ServerSocket(0, ranks, InetAddress.getByName(host));
        this.address = new Address(host, server.getLocalPort());
        this.ranks = ranks;
        this.breakdown = breakdown;
        this.outputs = new DataOutputStream[ranks];
        Thread.ofVirtual().name("aggregator").start(this::accept);
    }

    Address address() {
        return address;
    }

    private void accept() {
        try {
            while (true) {
                final Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                if (!add(socket)) {
                    socket.close();
                    return;
                }
                Thread.ofVirtual().name("aggregator-rank").start(() -> serve(socket));
            }
        } catch (final IOException e) {
            close();
        }
    }

    private synchronized boolean add(final Socket socket) {
        return !server.isClosed() && connections.add(socket);
    }

    private void serve(final Socket socket) {
        try {
            final DataInputStream in = new DataInputStream(socket.getInputStream());
            final int rank = in.readInt();
            synchronized (this) {
                outputs[rank] = new DataOutputStream(socket.getOutputStream());
            }
            while (true) {
                final long number = in.readLong();
                final int operation = in.readByte();
                final int type = in.readByte();
                final byte[] data = new byte[in.readInt()];
                in.readFully(data);
                final Arithmetic arithmetic = operation < 0 ? null
                    : new Arithmetic(Arithmetic.Operation.values()[operation], Arithmetic.Type.values()[type]);
                contribute(rank, number, arithmetic, ByteBuffer.wrap(data).order(ByteOrder.nativeOrder()));
            }
        } catch (final EOFException e) {
            // the rank has left
        } catch (final IOException e) {
            // no collective can be complete any more
            close();
        }
    }

    private synchronized void contribute(final int rank, final long number, final Arithmetic arithmetic, final ByteBuffer data) throws IOException {
        final ByteBuffer[] all = contributions.computeIfAbsent(number, n -> new ByteBuffer[ranks]);
        all[rank] = data;
        for (final ByteBuffer one : all) {
            if (one == null) {
                return;
            }
        }
        contributions.remove(number);
        collectives++;
        if (collectives == breakdown) {
            throw new IOException("broken down");
        }
        final ByteBuffer result = all[ranks - 1];
        for (int r = ranks - 2; r >= 0 && arithmetic != null; r--) {
            arithmetic.combine(all[r], result);
        }
        for (final DataOutputStream out : outputs) {
            out.writeLong(number);
            out.writeInt(result.limit());
            out.write(result.array(), 0, result.limit());
            out.flush();
        }
    }

    /** Ends the device and its connections. */
    synchronized void close() {
        try {
            server.close();
            for (final Socket socket : connections) {
                socket.close();
            }
        } catch (final IOException e) {
            throw new IllegalStateException("cannot close a socket", e);
        }
        connections.clear();
    }
}
