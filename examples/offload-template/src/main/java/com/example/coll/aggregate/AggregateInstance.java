package com.example.coll.aggregate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.CollInstance;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.Checkpointable;
import tutti.coll.advanced.SetupComm;

/** The device of one communicator, as one rank sees it. Rank 0 serves it, and tells the others where. */
final class AggregateInstance implements CollInstance, Checkpointable {
    private final SetupComm comm;
    private final AggregateParameters parameters;
    private final Checksums checksums;
    private Aggregator aggregator;
    private AggregatorLink link;

    AggregateInstance(final SetupComm comm, final AggregateParameters parameters) {
        this.comm = comm;
        this.parameters = parameters;
        this.checksums = new Checksums();
    }

    /** Returns the names of the algorithms; no call is planned with this table. */
    @Override
    public AlgorithmTable table() {
        return table((call, plan) -> {
            throw new IllegalStateException("module aggregate is not initialized");
        }, null);
    }

    @Override
    public AlgorithmTable init() throws IOException {
        final Algorithm<Call.Allreduce> others = comm.algorithm(Operation.ALLREDUCE, parameters.others());
        if (comm.rank() == 0) {
            aggregator = new Aggregator(parameters.host(), comm.size(), parameters.breakdown());
        }
        link = new AggregatorLink(comm.rank(), address());
        return table(others, link);
    }

    /** Returns the address of the device, which rank 0 tells the others. */
    private Aggregator.Address address() throws IOException {
        if (aggregator != null) {
            final byte[] host = aggregator.address().host().getBytes(StandardCharsets.UTF_8);
            for (int peer = 1; peer < comm.size(); peer++) {
                comm.send(ByteBuffer.allocate(8).putInt(aggregator.address().port()).putInt(host.length).array(), peer);
                comm.send(host, peer);
            }
            return aggregator.address();
        }
        final byte[] head = new byte[8];
        comm.recv(head, 0);
        final byte[] host = new byte[ByteBuffer.wrap(head).getInt(4)];
        comm.recv(host, 0);
        return new Aggregator.Address(new String(host, StandardCharsets.UTF_8), ByteBuffer.wrap(head).getInt(0));
    }

    private AlgorithmTable table(final Algorithm<Call.Allreduce> others, final AggregatorLink device) {
        return AlgorithmTable.builder()
            .intra(Operation.ALLREDUCE, "device", new AggregateAllreduce(device, null, others, parameters.limit()))
            .intra(Operation.ALLREDUCE, "checked", new AggregateAllreduce(device, checksums, others, parameters.limit()))
            .intra(Operation.BARRIER, "device", (AdvancedAlgorithm<Call.Barrier>) (call, plan) -> plan.offloaded(device, Operation.BARRIER,
                call, null, null))
            .build();
    }

    @Override
    public void dispose() {
        link.close();
        if (aggregator != null) {
            aggregator.close();
        }
        if (checksums.results() > 0) {
            comm.logger().log(System.Logger.Level.INFO, "results: {0}, bytes: {1}, checksum of the last: {2}", checksums.results(), checksums.bytes(),
                Long.toHexString(checksums.last()));
        }
    }

    /** Does nothing: no collective is in progress at a checkpoint. */
    @Override
    public void checkpoint() {
        // the device has no state between collectives
    }

    /** Does nothing: the links are still there. */
    @Override
    public void resume() {
        // the device has no state between collectives
    }

    /** Does nothing: {@link #init} has made new links. */
    @Override
    public void restart() {
        // connected by init
    }
}
