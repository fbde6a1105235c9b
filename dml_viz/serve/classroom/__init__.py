"""A classroom: a teacher asks, students answer on their own devices, and all see the answers beside the computed truth.

    messages    the types of all messages, which the scripts have, too
    codes       the code of a classroom, and the teacher's token, students' tickets and receipts, all signed with one secret
    states      idle, open 1, closed 1, open 2, closed 2, revealed: who may do what when
    questions   what can be asked: predictions of pages, and questions of the teacher's own
    answers     the answers of a question by vote; tally: what is shown of them
    board       the newest message of each type for each role
    classroom   one classroom, without sockets
    classrooms  all classrooms of a server, and who may enter
    route       the socket and the polling route

Nothing of a classroom is stored or logged. Devices hold what is theirs, a teacher's the question and its state, a student's the
answers, and send it again after a reconnection, to this replica or to another one.
"""
