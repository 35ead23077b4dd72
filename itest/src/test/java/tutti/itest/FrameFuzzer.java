package tutti.itest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Peer of a daemon whose connections violate the protocol. The seed of a connection decides what it sends.
 *
 * <pre>
 * before the hello   random bytes, hellos with flipped bits or cut short
 * after a hello      of a command of each role, a node, a coordinator of a job or of a change, a rank:
 *                    calls of methods with changed arguments, of methods that are not there, results of no call, streams without calls, credit,
 *                    random types, lengths, pieces
 * valid sessions     a job with its program, with some bits flipped
 * </pre>
 * It sends no order to stop a node.
 */
final class FrameFuzzer {
    private static final int MAX_FRAMES = 12;
    private static final int LIMIT_MILLIS = 60_000;
    /** Values that take the place of others in JSON. */
    private static final List<String> ODD = List.of("-1", "0", "2147483647", "2147483648", "-9223372036854775809", "1e999", "null", "true", "\"\"",
        "\"\\u0000\"", "[]", "{}", "[[[[[[[[]]]]]]]]", "\"" + "x".repeat(5_000) + "\"", "[" + "1,".repeat(2_000) + "1]", "65536", "16");
    static final byte CALL = 2;
    static final byte ANSWER = 3;
    static final byte FAILED = 4;
    static final byte STREAM = 5;
    /** Type of a frame with credit for a stream: the numbers of its call and of bytes. */
    static final byte GRANT = 6;
    /** Longest wait of a session for a frame. */
    private static final int SESSION_MILLIS = 2_000;
    /** Methods that nodes serve each other and commands, each with usual arguments, without those that stop nodes. */
    private static final String AGREEMENT = "{'modules':[],'leftOut':[],'parameters':{},'given':[],"
        + "'rules':{'source':'none','rules':[],'isDefault':false,'learnt':[]},'nodes':[],'held':[]}";
    private static final List<String> CALLS = Stream.of(
        "JobLauncher.run [{'ranks':2,'mapping':'BLOCK','nodes':[],'mainClass':'Sums','args':['a'],'files':[],'parameters':{'transport':'tcp'},"
            + "'rules':null,'timeoutMillis':2000,'program':'Sums','launchedBy':'me','environment':{'A':'b'},'placed':true,'traced':true}]",
        "JobLauncher.cancel []",
        "JobNode.prepare [{'job':'z-1-0000','key':'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=','transports':['tcp'],'nodes':['z','a'],"
            + "'nodeOfRank':[0,1],'self':1,'programs':[{'mainClass':'Sums','args':[],'ranks':2,'requested':2}],'files':[],'parent':null,"
            + "'environment':{}}]",
        "JobPart.connect [{'agreement':" + AGREEMENT + ",'nodes':[{'name':'z','endpoints':[{'scheme':'tcp','reach':'',"
            + "'host':'127.0.0.1','port':9}]},{'name':'a','endpoints':[{'scheme':'tcp','reach':'','host':'127.0.0.1','port':9}]}],"
            + "'daemons':[{'name':'z','host':'127.0.0.1','port':9}],'localities':[{'switches':['s'],"
            + "'processors':[{'hwthread':0,'core':0,'cache':0,'numa':0,'socket':0}],'share':'0/1'}]}]",
        "JobPart.start []",
        "JobPart.startSpare [{'rank':1,'replaces':0,'incarnation':1,'context':64,'members':[1],'node':'z'},[{'name':'z','endpoints':[]}]]",
        "JobPart.cancel ['r']", "JobPart.lose [[0,1],'r']",
        "JobPart.endSpawned ['r']", "JobPart.inspect [0]", "JobPart.lastPoint []",
        "JobPart.checkpointAt [7]", "JobPart.lease [1]", "JobPart.agree [1," + AGREEMENT + "]", "JobPart.change [1]", "JobPart.abandon [1]",
        "ChangeTarget.prepare ['z-1',['z','a'],{'kind':'UNINSTALL','name':'nosuch','version':null,'file':null,'nodes':[],'verify':true,"
            + "'force':false}]",
        "ChangeTarget.prepare ['z-1',['z','a'],{'kind':'INSTALL','name':null,'version':null,'file':{'name':'m.jar','bytes':9,"
            + "'sha256':'0000000000000000000000000000000000000000000000000000000000000000','staged':false},'nodes':[],'verify':true,'force':false}]",
        "ChangeTarget.reserve ['z-1',false]", "ChangeTarget.commit []", "ChangeTarget.finish []", "ChangeTarget.undo []",
        "CopyKeeper.use ['z-1-0000','z-1-0000']",
        "CopyKeeper.keep [1,0]", "CopyKeeper.blocks [1,0]", "CopyKeeper.complete [1]", "CopyKeeper.discard [1,[0]]",
        "ClusterRequests.nodes []", "ClusterRequests.examine []", "ClusterRequests.jobs []", "ClusterRequests.ranks ['a-1-0000']",
        "ClusterRequests.checkpoints []", "ClusterRequests.learnt []", "ClusterRequests.page []", "ClusterRequests.pageFor ['OBSERVE']",
        "ClusterRequests.cancel ['a-1-0000']",
        "ClusterRequests.checkpoint ['a-1-0000',50]", "ClusterRequests.removeCheckpoints ['a-1-0000']",
        "ClusterRequests.join [{'host':'127.0.0.1','port':9}]",
        "ClusterRequests.change [{'kind':'INSTALL','name':null,'version':null,'file':{'name':'m.jar','bytes':9,"
            + "'sha256':'0000000000000000000000000000000000000000000000000000000000000000','staged':false},'nodes':[],'verify':true,'force':false},"
            + "false]",
        "ClusterRequests.changeLive [{'kind':'ROLLBACK','name':'nosuch','version':null,'file':null,'nodes':[],'verify':false,'force':false},"
            + "false,'a-1-0000']",
        "ClusterRequests.tryLive [{'name':'m.jar','bytes':9,"
            + "'sha256':'0000000000000000000000000000000000000000000000000000000000000000','staged':false},0.05,0.03,true,false,'a-1-0000']",
        "Messages.members [[{'name':'z','incarnation':'1','host':'127.0.0.1','port':9,'pid':1,'java':'25','cores':1,'since':1}]]",
        "Messages.packet ['AAAAAAAAAAA=']", "Messages.leave []", "MemberQuestions.sees ['a']", "MemberQuestions.silence ['a']",
        "MemberQuestions.probe ['nobody']", "MemberQuestions.hasView [['a','z']]", "MemberQuestions.minority []",
        "MemberQuestions.linkToSuccessor [['a','z']]", "NodeQuestions.report []", "NodeQuestions.examine []", "NameQuestions.port ['n']",
        "JobQuestions.cancel ['a-1-0000']", "JobQuestions.ranks ['a-1-0000']", "JobQuestions.history []", "JobQuestions.checkpoint ['a-1-0000']",
        "MeasurementQuestions.measurements ['a-1-0000']", "MeasurementQuestions.part ['a-1-0000','trace',0]", "JobQuestions.freePlaces []",
        "JobQuestions.follow ['nosuch','a-1-0000']",
        "JobQuestions.tryOut [{'module':{'name':'nosuch','version':'1.0.0','digest':'0'},'share':0.05,'budget':0.03},'a-1-0000']",
        "JobQuestions.trials [{'name':'nosuch','version':'1.0.0','digest':'0'}]",
        "JobQuestions.learn [[{'communicator':'w','shape':{'ranks':3,'nodes':2,'ranksPerNode':{'min':1,'max':2}},'operation':'bcast',"
            + "'kind':'USUAL','bytes':{'min':4,'max':7},'algorithms':[{'module':{'name':'nosuch','version':'1.0.0','digest':'0'},"
            + "'algorithm':{'module':'nosuch','algorithm':'a','parameters':{}},'calls':9,'medianNanos':9,'spreadNanos':1,'slowdown':1.0,"
            + "'problem':null}],'served':0,'selected':0,'calls':99,'trials':1,'regretNanos':5}]]",
        "CheckpointQuestions.held []", "CheckpointQuestions.removeSeries ['a-1-0000']",
        "ModuleQuestions.retire [[{'name':'nosuch','version':'1.0.0','digest':'0'}]]",
        "ModuleQuestions.quarantined [[{'module':{'name':'nosuch','version':'1.0.0','digest':'0'},'reason':'r','since':1}]]",
        "ModuleQuestions.phase ['a-1']", "ModuleQuestions.send [{'name':'nosuch','version':'1.0.0','digest':'0'},'z']",
        "CopyKeeper.removeOlder [1]", "CopyKeeper.fetch ['a-1-0000','a-1-0000',1,2,0,'state']", "CopyOwner.confirm []",
        "Nosuch.method []").map(m -> m.replace('\'', '"')).toList();
    private final Random random;
    private final int port;
    private final byte[] program;
    private final String description;

    private FrameFuzzer(final long seed, final int port, final byte[] program, final String description) {
        this.random = new Random(seed);
        this.port = port;
        this.program = program;
        this.description = description;
    }

    /**
     * Makes the connection of a seed, and waits until the daemon has closed it.
     *
     * @param program     jar of a program with class {@code Sums}
     * @param description the record that describes the jar, in JSON
     * @throws SocketTimeoutException when the daemon neither answers nor closes it
     */
    static void run(final long seed, final int port, final byte[] program, final String description) throws IOException {
        new FrameFuzzer(seed, port, program, description).run();
    }

    private void run() throws IOException {
        final int kind = random.nextInt(20);
        try (RawLink link = new RawLink(port)) {
            link.socket.setSoTimeout(LIMIT_MILLIS);
            try {
                if (kind < 18) {
                    send(link, kind < 4 ? beforeHello() : afterHello());
                } else {
                    validSession(link);
                }
                switch (random.nextInt(4)) {
                    case 0 -> link.socket.setSoLinger(true, 0);
                    case 1 -> {
                        return;
                    }
                    default -> {
                        link.socket.shutdownOutput();
                        link.rest();
                    }
                }
            } catch (final SocketTimeoutException e) {
                throw e;
            } catch (final IOException e) {
                if (e.getMessage() == null || !e.getMessage().matches("Broken pipe|Connection reset.*|Socket.*")) {
                    throw e;
                }
                // the daemon has closed it before all was sent
            }
        }
    }

    /** Sends in one piece, or in several that arrive one after the other. */
    private void send(final RawLink link, final byte[] bytes) throws IOException {
        int at = 0;
        while (at < bytes.length) {
            final int end = random.nextInt(3) == 0 ? at + 1 + random.nextInt(bytes.length - at) : bytes.length;
            link.send(Arrays.copyOfRange(bytes, at, end));
            at = end;
        }
    }

    private byte[] beforeHello() {
        final byte[] hello = hello();
        return switch (random.nextInt(4)) {
            case 0 -> bytes(random.nextInt(10_000));
            case 1 -> Arrays.copyOf(hello, random.nextInt(hello.length));
            case 2 -> RawLink.hello("client", random.nextInt(), bytes(random.nextInt(100)));
            default -> flip(hello, 1 + random.nextInt(8));
        };
    }

    private byte[] hello() {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> RawLink.command(port, RawLink.ROLES.get(random.nextInt(RawLink.ROLES.size())));
            case 4 -> node("node", "null");
            case 5, 6 -> node("node", "\"z-1-0000\"");
            case 7, 8 -> node(random.nextBoolean() ? "change" : "checkpoint", "null");
            default -> RawLink.hello(List.of("job", "peer", "port").get(random.nextInt(3)), 40, bytes(40));
        };
    }

    private byte[] node(final String purpose, final String job) {
        return RawLink.node(port, purpose, "z" + random.nextInt(3), job);
    }

    private byte[] afterHello() throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(hello());
        for (int i = random.nextInt(MAX_FRAMES); i >= 0; i--) {
            all.write(frame());
        }
        final byte[] whole = all.toByteArray();
        return random.nextInt(5) == 0 ? Arrays.copyOf(whole, whole.length - random.nextInt(Math.min(whole.length, 40))) : whole;
    }

    private byte[] frame() {
        return switch (random.nextInt(16)) {
            case 0, 1 -> RawLink.frame(random.nextInt(GRANT + 2), bytes(random.nextInt(random.nextInt(4) == 0 ? 16_000 : 20)));
            // a length that is not that of the frame
            case 2 -> {
                final byte[] frame = conversation();
                frame[random.nextInt(4)] ^= (byte) (1 << random.nextInt(8));
                yield frame;
            }
            case 3 -> {
                final int type = random.nextInt(256);
                yield RawLink.frame(type, bytes(random.nextInt(200)));
            }
            case 4 -> new byte[4];
            default -> conversation();
        };
    }

    /** Returns a frame of a conversation, whose calls have few numbers, so that some frames belong together. */
    private byte[] conversation() {
        final ByteBuffer frame = ByteBuffer.allocate(64 << 10);
        final int usual = random.nextInt(8) == 0 ? -random.nextInt(4) : 1 + random.nextInt(4);
        frame.putInt(random.nextInt(8) == 0 ? random.nextInt() : usual);
        final byte type = random.nextInt(2) == 0 ? CALL : (byte) (CALL + 1 + random.nextInt(GRANT - CALL));
        switch (type) {
            case CALL -> {
                final String[] call = CALLS.get(random.nextInt(CALLS.size())).split(" ", 2);
                final byte[] name = call[0].getBytes(StandardCharsets.US_ASCII);
                final byte[] sent = random.nextInt(20) == 0 ? flip(name, 1) : name;
                frame.put((byte) (random.nextInt(20) == 0 ? random.nextInt() : sent.length)).put(sent).put(changed(call[1]));
            }
            case STREAM -> frame.put((byte) random.nextInt(random.nextInt(8) == 0 ? 256 : 3))
                .put(bytes(random.nextInt(random.nextBoolean() ? 20 : 16_000)));
            case GRANT -> frame.putInt(random.nextBoolean() ? 1 << random.nextInt(32) : -random.nextInt(2));
            default -> frame.put(changed(type == FAILED ? "{\"status\":1,\"text\":\"t\"}" : "null"));
        }
        return RawLink.frame(type, Arrays.copyOf(frame.array(), frame.position()));
    }

    private byte[] changed(final String json) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> json.getBytes(StandardCharsets.UTF_8);
            case 2 -> flip(json.getBytes(StandardCharsets.UTF_8), 1 + random.nextInt(4));
            case 3 -> Arrays.copyOf(json.getBytes(StandardCharsets.UTF_8), random.nextInt(json.length() + 1));
            default -> withOddValue(json).getBytes(StandardCharsets.UTF_8);
        };
    }

    /** Puts another value in the place of one. */
    private String withOddValue(final String json) {
        final List<Integer> starts = new ArrayList<>();
        final String before = json.startsWith("[") ? "[,:" : ":";
        for (int i = 0; i < json.length(); i++) {
            if (before.indexOf(json.charAt(i)) >= 0) {
                starts.add(i + 1);
            }
        }
        if (starts.isEmpty()) {
            return ODD.get(random.nextInt(ODD.size()));
        }
        final int start = starts.get(random.nextInt(starts.size()));
        int end = start;
        while (end < json.length() - 1 && ",}]".indexOf(json.charAt(end)) < 0) {
            end++;
        }
        return json.substring(0, start) + ODD.get(random.nextInt(ODD.size())) + json.substring(end);
    }

    /** Runs a job, with some bits flipped after the hello. */
    private void validSession(final RawLink link) throws IOException {
        link.send(RawLink.command(port, "run"));
        if (!link.answer().isEmpty()) {
            return;
        }
        link.socket.setSoTimeout(SESSION_MILLIS);
        try {
            new RawJob(link, program, frame -> random.nextInt(4) == 0 ? flip(frame, random.nextInt(4)) : frame).run(request(description));
        } catch (final SocketTimeoutException e) {
            // the node waits for what a flipped bit announces
        }
        link.socket.setSoTimeout(LIMIT_MILLIS);
    }

    /** Returns the arguments of the call that runs a job of program {@code Sums}, in JSON. */
    static String request(final String description) {
        return sample("JobLauncher.run").replace("\"files\":[]", "\"files\":[" + description + "]")
            .replace("\"timeoutMillis\":2000", "\"timeoutMillis\":60000");
    }

    /** Returns the methods of which there are samples, {@code Interface.method}, but one that nobody serves. */
    static Set<String> methods() {
        return CALLS.stream().map(c -> c.split(" ", 2)[0]).filter(c -> !c.startsWith("Nosuch")).collect(Collectors.toSet());
    }

    /** Returns all samples of the arguments of a method, in JSON. */
    static List<String> samples(final String method) {
        return CALLS.stream().filter(c -> c.startsWith(method + " ")).map(c -> c.split(" ", 2)[1]).toList();
    }

    /** Returns the usual arguments of a method, in JSON. */
    static String sample(final String method) {
        return samples(method).getFirst();
    }

    /** Returns the frame of a call of a method with its usual arguments. */
    static byte[] call(final String method) {
        return call(method, 1);
    }

    /** Returns the frame of a call with a number. */
    static byte[] call(final String method, final int id) {
        return call(method, id, sample(method));
    }

    /** Returns the frame of a call with a number and arguments, or with the last part of them, in JSON. */
    static byte[] call(final String method, final int id, final String json) {
        return RawLink.frame(CALL, ByteBuffer.allocate(5 + method.length() + json.length()).putInt(id).put((byte) method.length())
            .put(method.getBytes(StandardCharsets.US_ASCII)).put(json.getBytes(StandardCharsets.US_ASCII)).array());
    }

    /** Returns a frame with bytes of the stream of a call. */
    static byte[] stream(final int id, final byte kind, final byte[] bytes) {
        return RawLink.frame(STREAM, ByteBuffer.allocate(5 + bytes.length).putInt(id).put(kind).put(bytes).array());
    }

    private byte[] bytes(final int count) {
        final byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] flip(final byte[] bytes, final int bits) {
        for (int i = 0; i < bits && bytes.length > 0; i++) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
    }
}
